import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import {
  assertPaired,
  calls,
  says,
  ScriptedProvider,
  type Step,
} from "../../test/support/scripted-provider.js";
import { type Item, messageText, userMessage } from "../model/item.js";
import { defineTool, type Tool } from "../tool/tool.js";
import { Worker } from "./worker.js";
import type { RunEvent } from "./run-event.js";

const ran = vi.fn((input: unknown) => `ran ${JSON.stringify(input)}`);
const tool: Tool = defineTool({
  name: "t",
  description: "The tool.",
  input: z.object({ n: z.number().default(0) }),
  execute: ran,
});

function workerOf(...steps: readonly Step[]): { worker: Worker; provider: ScriptedProvider } {
  ran.mockClear();
  const provider = new ScriptedProvider(...steps);
  return { worker: new Worker({ provider, tools: [tool] }), provider };
}

describe("onPromptSubmit", () => {
  test("changes the prompt", async () => {
    const { worker } = workerOf(says("ok"));
    worker.hook("onPromptSubmit", ({ item }) => ({ item: userMessage(`${messageText(item)}!`) }));
    await worker.run("go");
    expect(worker.items[0]).toEqual(userMessage("go!"));
  });

  test("cancels the run before anything is sent", async () => {
    const { worker, provider } = workerOf();
    worker.hook("onPromptSubmit", () => ({ cancel: "not today" }));
    expect(await worker.run("go")).toMatchObject({ status: "finished", reason: "not today" });
    expect(provider.requests).toEqual([]);
    expect(worker.items).toEqual([]);
  });
});

test("onTurnStart stops the run", async () => {
  const { worker } = workerOf(calls({ name: "t" }));
  worker.hook("onTurnStart", ({ turn }) => (turn === 2 ? { stop: "two are enough" } : undefined));
  expect(await worker.run("go")).toMatchObject({
    status: "finished",
    reason: "two are enough",
    turns: 1,
  });
});

describe("preLlmRequest", () => {
  test("changes this request only, unless it says history", async () => {
    const { worker, provider } = workerOf(says("one"), says("two"), says("three"));
    const remove = worker.hook("preLlmRequest", ({ items }) => ({
      items: [userMessage("context"), ...items],
    }));
    await worker.run("a");
    remove();
    expect(provider.requests[0]?.items).toHaveLength(2);
    worker.hook("preLlmRequest", ({ items, turn }) =>
      items.length > 3
        ? undefined
        : { items: [userMessage(`kept ${turn}`), ...items], scope: "history" },
    );
    await worker.run("b");
    await worker.run("c");
    expect(provider.requests.map(({ items }) => items.length)).toEqual([2, 4, 6]);
    expect(worker.items[0]).toEqual(userMessage("kept 1"));
  });

  test("that changes this request only stays out of a history that a later one shortens", async () => {
    const { worker, provider } = workerOf(says("one"), says("two"), says("three"));
    const said = (text: string): Item => userMessage(text);
    worker.hook("preLlmRequest", ({ items }) => ({
      items: [...items.slice(-3), said("remember")],
    }));
    const short = said("short");
    worker.hook("preLlmRequest", ({ items }) => ({
      items: items.map((item) => (JSON.stringify(item).includes("long") ? short : item)),
      scope: "history",
    }));
    await worker.run("a");
    await worker.run("long");
    await worker.run("b");
    const texts = (items: readonly Item[]): string[] =>
      items.map((item) => (item.type === "message" ? messageText(item) : item.type));
    expect(texts(worker.items)).toEqual(["a", "one", "short", "two", "b", "three"]);
    expect(provider.requests.map(({ items }) => texts(items))).toEqual([
      ["a", "remember"],
      ["a", "one", "short", "remember"],
      ["short", "two", "b", "remember"],
    ]);
  });

  test("is told what the request is likely to cost, corrected by what was billed", async () => {
    const { worker } = workerOf(says("one"), says("two"));
    const estimates: number[] = [];
    worker.hook("preLlmRequest", ({ estimatedTokens }) => void estimates.push(estimatedTokens));
    await worker.run("x".repeat(4000));
    await worker.run("y");
    expect(estimates[0]).toBeGreaterThan(1000);
    expect(estimates[1]).toBeLessThan(20); // the script bills 10 tokens a request
  });

  test("a change of bytes that were sent is reported with its place and cost", async () => {
    const { worker } = workerOf(says("one"), says("two"), says("three"), says("four"));
    const changes: RunEvent[] = [];
    worker.onEvent((event) => void (event.type === "prefix_changed" && changes.push(event)));
    await worker.run("a");
    await worker.run("b");
    expect(changes).toEqual([]);
    const items = worker.items.slice();
    items[2] = userMessage("B");
    worker.setItems(items);
    await worker.run("c");
    expect(changes).toMatchObject([{ what: "items", firstItem: 2, resentItemCount: 1 }]);
    worker.setSystemPrompt("new");
    await worker.run("d");
    expect(changes[1]).toMatchObject({ what: "system_prompt", firstItem: 0, resentItemCount: 5 });
  });

  test("that makes the same items anew changes no bytes, in the locked prefix neither", async () => {
    const { worker, provider } = workerOf(says("one"), says("two"), says("three"));
    const changes: RunEvent[] = [];
    worker.onEvent((event) => void (event.type === "prefix_changed" && changes.push(event)));
    worker.hook("preLlmRequest", ({ items, lockedItemCount }) => ({
      items: items.map((item, i) => {
        const text = JSON.stringify(item);
        return JSON.parse(i < lockedItemCount ? text : text.replaceAll("hunter2", "***")) as Item;
      }),
    }));
    await worker.run("log in");
    const locked = worker.lock();
    await locked.run("my password is hunter2");
    await locked.run("and now?");
    expect(changes).toEqual([]);
    expect(JSON.stringify(provider.requests)).not.toContain("hunter2");
  });

  test("cancels the request", async () => {
    const { worker, provider } = workerOf();
    worker.hook("preLlmRequest", () => ({ cancel: "over budget" }));
    expect(await worker.run("go")).toMatchObject({ reason: "over budget", turns: 0 });
    expect(provider.requests).toEqual([]);
  });

  test("cannot touch the locked prefix", async () => {
    const { worker } = workerOf(says("one"));
    await worker.run("a");
    const locked = worker.lock();
    locked.hook("preLlmRequest", ({ items }) => ({ items: items.slice(1) }));
    await expect(locked.run("b")).rejects.toMatchObject({ code: "locked_prefix", itemIndex: 0 });
  });
});

describe("postLlmResponse", () => {
  test("changes the items before they enter the history", async () => {
    const { worker } = workerOf(calls({ name: "t" }));
    worker.hook("postLlmResponse", () => ({
      items: [{ type: "message", role: "assistant", content: [{ type: "text", text: "instead" }] }],
    }));
    expect(await worker.run("go")).toMatchObject({ text: "instead" });
    expect(ran).not.toHaveBeenCalled();
  });

  test("rejects an answer: the model is told why and asked again", async () => {
    const { worker, provider } = workerOf(says("rude"), says("polite"));
    const events: RunEvent[] = [];
    worker.onEvent((event) => events.push(event));
    worker.hook("postLlmResponse", ({ items }) =>
      items[0]?.type === "message" && messageText(items[0]) === "rude"
        ? { reject: "Say it politely." }
        : undefined,
    );
    expect(await worker.run("go")).toMatchObject({ text: "polite", turns: 2 });
    expect(provider.requests[1]?.items).toEqual([
      userMessage("go"),
      userMessage("Say it politely."),
    ]);
    expect(events).toContainEqual({
      type: "response_rejected",
      turn: 1,
      reason: "Say it politely.",
    });
  });
});

describe("preToolCall", () => {
  test("changes the input, which is validated like the model's own", async () => {
    const { worker } = workerOf(calls({ name: "t", input: { n: 1 } }, { name: "t" }), says("ok"));
    worker.hook("preToolCall", ({ callId }) => ({
      input: { n: callId === "call_1" ? 7 : "seven" },
    }));
    await worker.run("go");
    expect(ran.mock.calls.map(([input]) => input)).toEqual([{ n: 7 }]);
    expect(worker.items[4]).toMatchObject({ isError: true });
  });

  test("skips with a given result, or denies with a reason for the model", async () => {
    const { worker } = workerOf(calls({ name: "t" }, { name: "t" }), says("ok"));
    worker.hook("preToolCall", ({ callId }) =>
      callId === "call_1" ? { skip: "from the cache" } : { deny: "not allowed here" },
    );
    await worker.run("go");
    expect(ran).not.toHaveBeenCalled();
    expect(worker.items.slice(3, 5)).toMatchObject([
      { summary: "from the cache" },
      { isError: true, summary: expect.stringContaining("not allowed here") },
    ]);
  });

  test("stops the run before any tool of the turn has run", async () => {
    const { worker } = workerOf(calls({ name: "t" }, { name: "t" }));
    worker.hook("preToolCall", ({ callId }) =>
      callId === "call_2" ? { stop: "dangerous" } : undefined,
    );
    expect(await worker.run("go")).toMatchObject({ status: "finished", reason: "dangerous" });
    expect(ran).not.toHaveBeenCalled();
    assertPaired(worker.items);
  });
});

describe("postToolCall", () => {
  test("changes the output and its error flag", async () => {
    const { worker } = workerOf(calls({ name: "t" }), says("ok"));
    worker.hook("postToolCall", ({ output }) => ({
      output: `checked: ${String(output)}`,
      isError: true,
    }));
    await worker.run("go");
    expect(worker.items[2]).toMatchObject({ summary: 'checked: ran {"n":0}', isError: true });
  });

  test("that says nothing of the error flag leaves it as it is", async () => {
    const { worker } = workerOf(calls({ name: "t", input: { n: "none" } }), says("ok"));
    worker.hook("postToolCall", ({ output }) => ({ output: `seen: ${String(output)}` }));
    await worker.run("go");
    expect(worker.items[2]).toMatchObject({
      summary: expect.stringContaining("seen: the arguments do not fit"),
      isError: true,
    });
  });

  test("stops the run once the turn's other calls have their results", async () => {
    const { worker } = workerOf(calls({ name: "t" }, { name: "t", input: { n: 2 } }));
    worker.hook("postToolCall", ({ callId }) =>
      callId === "call_1" ? { stop: "seen" } : undefined,
    );
    expect(await worker.run("go")).toMatchObject({ status: "finished", reason: "seen" });
    expect(ran).toHaveBeenCalledTimes(2);
    assertPaired(worker.items);
  });
});

describe("onTurnEnd", () => {
  test("goes on with a follow-up", async () => {
    const { worker } = workerOf(says("draft"), says("final"));
    worker.hook("onTurnEnd", ({ turn, willContinue }) =>
      turn === 1 && !willContinue ? { continueWith: [userMessage("Check it.")] } : undefined,
    );
    expect(await worker.run("go")).toMatchObject({ text: "final", turns: 2 });
  });

  test("finishes although tools were called", async () => {
    const { worker } = workerOf(calls({ name: "t" }));
    worker.hook("onTurnEnd", () => ({ stop: "one turn" }));
    expect(await worker.run("go")).toMatchObject({ status: "finished", reason: "one turn" });
    assertPaired(worker.items);
  });
});

test("a hook that fails ends the run with its name; the history can be continued", async () => {
  const { worker } = workerOf(calls({ name: "t" }), says("ok"));
  const remove = worker.hook(
    "postToolCall",
    () => {
      throw new Error("no database");
    },
    { name: "audit" },
  );
  await expect(worker.run("go")).rejects.toMatchObject({
    hookName: "audit",
    point: "postToolCall",
  });
  assertPaired(worker.items);
  remove();
  expect(await worker.run()).toMatchObject({ text: "ok" });
});

test.each(["onPause", "onAbort"] as const)(
  "one that fails at %s ends the run too",
  async (point) => {
    const { worker } = workerOf(calls({ name: "t" }));
    const abort = new AbortController();
    worker.hook("preToolCall", () => {
      if (point === "onAbort") abort.abort();
      return { pause: "ask" };
    });
    worker.hook(point, () => {
      throw new Error("no database");
    });
    const seen: RunEvent[] = [];
    worker.onEvent((event) => seen.push(event));
    await expect(worker.run("go", { signal: abort.signal })).rejects.toMatchObject({ point });
    expect(seen.at(-1)).toMatchObject({ type: "run_end", status: "failed" });
  },
);
