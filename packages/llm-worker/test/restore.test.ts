import { expect, test, vi } from "vitest";
import * as z from "zod";
import { messageText, type Item, type ToolResultItem } from "../src/model/item.js";
import { summaryAndContent } from "../src/output/summary-and-content.js";
import { defineTool } from "../src/tool/tool.js";
import { prune } from "../src/worker/prune.js";
import type { WorkerSnapshot } from "../src/worker/snapshot.js";
import { Worker } from "../src/worker/worker.js";
import { FaultyStore } from "./support/faulty-store.js";
import { assertPaired, calls, says, ScriptedProvider } from "./support/scripted-provider.js";

function resultsOf(items: readonly Item[]): ToolResultItem[] {
  return items.filter((item): item is ToolResultItem => item.type === "tool_result");
}

let produced = 0;
const printer = defineTool({
  name: "print",
  description: "Prints lines.",
  input: z.object({}),
  execute: () => `output ${++produced}\n`.repeat(400),
});

function inspects(...ids: readonly (string | undefined)[]): ReturnType<typeof calls> {
  return calls(
    ...ids.map((id, i) => ({ name: "inspect", callId: `i${i}`, input: { blob_id: id } })),
  );
}

test("F24: a new process goes on byte by byte, and is told of a blob that has vanished", async () => {
  const store = new FaultyStore();
  const first = new ScriptedProvider(
    calls({ name: "print" }),
    calls({ name: "print" }),
    calls({ name: "print" }),
    says("printed"),
  );
  const worker = new Worker({ provider: first, store, tools: [printer] });
  await worker.run("print three times");
  const pruned = new Worker({
    provider: new ScriptedProvider(calls({ name: "print" }), says("ok"), says("ok")),
    store,
    tools: [printer],
    policy: summaryAndContent(),
    items: worker.items,
  });
  pruned.hook("preLlmRequest", prune({ store, protectedTurns: 1, minSavingsTokens: 100 }));
  await pruned.run("once more");
  await pruned.run("and now?");
  const refs = resultsOf(pruned.items).map(({ blob }) => blob);
  expect(refs.every((ref) => ref !== undefined)).toBe(true);

  const saved = JSON.stringify(pruned.snapshot());
  const [gone, ...kept] = refs.map((ref) => ref?.id);
  store.blobs.delete(gone ?? "");
  const next = new ScriptedProvider(inspects(...kept, gone), says("read"));
  const restored = Worker.restore(JSON.parse(saved) as WorkerSnapshot, {
    provider: next,
    store,
    tools: [printer],
  });
  expect(await restored.run("go on")).toMatchObject({ status: "finished" });

  const before = JSON.stringify(pruned.items).slice(0, -1);
  expect(JSON.stringify(next.requests[0]?.items).startsWith(before)).toBe(true);
  const note = next.requests[0]?.items.at(-1);
  expect(note?.type === "message" && messageText(note)).toMatch(
    new RegExp(`no longer exist[^]*\\[blob:${gone}\\] text \\| 400 \\| `),
  );
  const answers = resultsOf(restored.items).slice(-4);
  expect(answers.slice(0, 3).map(({ summary }) => summary.includes("lines 1-"))).toEqual([
    true,
    true,
    true,
  ]);
  expect(answers[3]).toMatchObject({
    isError: true,
    summary: expect.stringContaining("no longer exists"),
  });
  assertPaired(restored.items);
});

test("nothing is said of blobs when all are there, and a store that cannot say counts as having them", async () => {
  const store = new FaultyStore();
  const worker = new Worker({
    provider: new ScriptedProvider(calls({ name: "print" }), says("ok")),
    store,
    tools: [printer],
  });
  await worker.run("go");
  const noNetwork = new Error("no network");
  const throws = (): Promise<boolean> => {
    throw noNetwork;
  };
  for (const exists of [store.exists.bind(store), () => Promise.reject(noNetwork), throws]) {
    const provider = new ScriptedProvider(says("ok"));
    store.exists = exists;
    const restored = Worker.restore(worker.snapshot(), { provider, store, tools: [printer] });
    await restored.run("again");
    expect(provider.requests[0]?.items).toHaveLength(worker.items.length + 1);
  }
});

test("F24: of a vanished blob is told also where a call's arguments or a waiting turn name it", async () => {
  const store = new FaultyStore();
  const gone = { id: "0190a000-0000-7000-8000-0000000000aa", kind: "json_object", byteCount: 9 };
  const call = { type: "tool_call", callId: "c", name: "print", arguments: "{}" } as const;
  const tools = [printer];
  const provider = new ScriptedProvider(calls({ name: "print" }, { name: "print" }), says("ok"));
  const worker = new Worker({
    provider,
    store,
    tools,
    items: [
      { ...call, blob: gone } as Item,
      { type: "tool_result", callId: "c", summary: "short" },
    ],
  });
  let asked = 0;
  worker.hook("preToolCall", () => (++asked === 2 ? { pause: "ask" } : undefined));
  await worker.run("go");
  const saved = worker.snapshot();
  const [waiting] = store.blobs.keys();
  store.blobs.clear();

  const restored = Worker.restore(saved, { provider, store, tools });
  await restored.resume();
  const note = restored.items.findLast((item) => item.type === "message" && item.role === "user");
  expect(note).toMatchObject({ content: [{ text: expect.stringContaining("no longer exist") }] });
  for (const id of [gone.id, waiting]) expect(JSON.stringify(note)).toContain(`[blob:${id}] `);
});

test("of a vanished blob is told once, however often the session is restored", async () => {
  const store = new FaultyStore();
  const tools = [printer];
  const provider = new ScriptedProvider(
    calls({ name: "print" }),
    calls({ name: "print", callId: "b" }, { name: "print", callId: "c" }),
    ...["ok", "ok", "ok"].map((text) => says(text)),
  );
  const worker = new Worker({ provider, store, tools });
  worker.hook("preToolCall", ({ callId }) => (callId === "c" ? { pause: "ask" } : undefined));
  await worker.run("go");
  const [first, second] = store.blobs.keys();
  store.blobs.delete(first ?? "");

  let saved = worker.snapshot();
  const goOn = async (run: (restored: Worker) => Promise<unknown>): Promise<readonly string[]> => {
    const restored = Worker.restore(saved, { provider, store, tools });
    if (restored.phase !== "mutable") throw new Error("it was not locked");
    restored.hook("preToolCall", () => ({ pause: "ask" }));
    await run(restored);
    saved = JSON.parse(JSON.stringify(restored.snapshot())) as WorkerSnapshot;
    return restored.items.flatMap((item) =>
      item.type === "message" && messageText(item).includes("no longer exist")
        ? [messageText(item)]
        : [],
    );
  };
  // Still paused, so that the note waits with the open turn.
  expect(await goOn((restored) => restored.resume())).toEqual([]);
  expect(await goOn((restored) => restored.resume({ approve: ["c"] }))).toHaveLength(1);
  expect(await goOn((restored) => restored.run("more"))).toHaveLength(1);
  store.blobs.delete(second ?? "");
  const notes = await goOn((restored) => restored.run("even more"));
  expect(notes).toEqual([
    expect.stringContaining(`${first}`),
    expect.stringContaining(`${second}`),
  ]);
});

test("a store that does not answer is asked for a while, and then the run goes on", async () => {
  const store = new FaultyStore();
  const ref = { kind: "text", byteCount: 9 } as const;
  const items: readonly Item[] = Array.from({ length: 100 }, (_, i) => [
    { type: "tool_call", callId: `c${i}`, name: "print", arguments: "{}" } as const,
    { type: "tool_result", callId: `c${i}`, summary: "", blob: { id: `b${i}`, ...ref } } as const,
  ]).flat();
  const saved = new Worker({ provider: new ScriptedProvider(), store, items }).snapshot();
  const exists = vi.spyOn(store, "exists").mockReturnValue(new Promise(() => {}));
  const provider = new ScriptedProvider(says("ok"));
  const output = { storeTimeoutMs: 5 };
  const restored = Worker.restore(saved, { provider, store, output });
  expect(await restored.run("again")).toMatchObject({ status: "finished" });
  expect(exists.mock.calls.length).toBeLessThan(20);
});
