import { expect, expectTypeOf, test } from "vitest";
import { says, ScriptedProvider } from "../../test/support/scripted-provider.js";
import { userMessage } from "../model/item.js";
import type { CacheLocked, Phase } from "./phase.js";
import { Worker } from "./worker.js";

function newWorker(): Worker {
  return new Worker({ provider: new ScriptedProvider(says("one"), says("two")) });
}

test("a locked worker refuses edits, in types and at run time, aliases included", () => {
  const worker = newWorker();
  const locked: Worker<CacheLocked> = worker.lock();
  // @ts-expect-error only a mutable worker has an editable prompt
  expect(() => locked.setSystemPrompt("x")).toThrow("needs a mutable worker");
  // @ts-expect-error nor can it be locked twice
  expect(() => locked.lock()).toThrow("needs a mutable worker");
  // @ts-expect-error nor change its history
  expect(() => locked.setItems([])).toThrow("cache_locked");
  // @ts-expect-error nor its tools
  expect(() => locked.removeTool("x")).toThrow("cache_locked");
  // @ts-expect-error nor what is generated
  expect(() => locked.setGeneration({})).toThrow("cache_locked");
  expect(() => worker.setSystemPrompt("x")).toThrow("cache_locked"); // the alias compiles
  const anyPhase: Worker<Phase> = locked; // code that does not care about the phase
  expect(anyPhase).toBe(worker);
});

test("an unlocked worker can be edited again", () => {
  const worker = newWorker().lock().unlock();
  worker.setSystemPrompt("x");
  worker.setItems([userMessage("a")]);
  expect(worker.items).toEqual([userMessage("a")]);
  // @ts-expect-error a mutable worker has nothing to unlock
  expect(() => worker.unlock()).toThrow("needs a cache_locked worker");
});

test("a restored worker tells by its phase what may be done with it, in types too", () => {
  const deps = { provider: new ScriptedProvider() };
  const locked = Worker.restore(newWorker().lock().snapshot(), deps);
  // @ts-expect-error not before its phase was looked at
  expect(() => locked.setSystemPrompt("x")).toThrow("cache_locked");
  if (locked.phase === "cache_locked") locked.unlock().setSystemPrompt("x");
  const mutable = Worker.restore(newWorker().snapshot(), deps);
  const again = mutable.phase === "mutable" ? mutable.lock() : mutable;
  expectTypeOf(again).toEqualTypeOf<Worker<CacheLocked>>();
  expect([locked.phase, again.phase]).toEqual(["mutable", "cache_locked"]);
});

test("a locked worker runs, and says to the provider how much is locked", async () => {
  const provider = new ScriptedProvider(says("one"), says("two"));
  const worker = new Worker({ provider });
  await worker.run("a");
  await worker.lock().run("b");
  expect(provider.requests.map(({ lockedItemCount }) => lockedItemCount)).toEqual([undefined, 2]);
});

test("nothing is edited while a run is on", async () => {
  const worker = newWorker();
  const run = worker.run("a");
  expect(() => worker.setSystemPrompt("x")).toThrow("has to wait until the run has ended");
  await run;
  worker.setSystemPrompt("x");
});
