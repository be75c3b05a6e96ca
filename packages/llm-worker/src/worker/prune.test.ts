import { expect, test } from "vitest";
import * as z from "zod";
import { type Fault, FaultyStore } from "../../test/support/faulty-store.js";
import {
  assertPaired,
  calls,
  says,
  ScriptedProvider,
  type Step,
  type Reaction,
} from "../../test/support/scripted-provider.js";
import type { Content } from "../blob/content.js";
import type { Item, ToolResultItem } from "../model/item.js";
import { toolResultText } from "../model/item.js";
import { summaryAndContent } from "../output/summary-and-content.js";
import { readBlob } from "../inspect/read.js";
import { defineTool } from "../tool/tool.js";
import { prune, type PruneOptions } from "./prune.js";
import { Worker } from "./worker.js";

const LINE = "something happened and then something else did\n";

/** A tool whose output is `lines` lines, distinct for each call. */
function printer(lines: number): ReturnType<typeof defineTool> {
  let call = 0;
  return defineTool({
    name: "print",
    description: "Prints lines.",
    input: z.object({}),
    execute: () => `output ${++call}\n${LINE.repeat(lines)}`,
  });
}

interface Setup {
  readonly turns: number;
  readonly lines: number;
  readonly store?: FaultyStore;
  readonly prune?: PruneOptions;
}

function setUp({ turns, lines, store, prune: options }: Setup): {
  worker: Worker;
  provider: ScriptedProvider;
} {
  const steps: Step[] = Array.from({ length: turns }, (_, i) =>
    calls({ name: "print", callId: `c${i}` }),
  );
  const provider = new ScriptedProvider(...steps, says("ok"), says("ok"), says("ok"));
  const worker = new Worker({
    provider,
    tools: [printer(lines)],
    policy: summaryAndContent(),
    ...(store === undefined ? {} : { store }),
  });
  worker.hook("preLlmRequest", prune({ ...options, ...(store === undefined ? {} : { store }) }));
  return { worker, provider };
}

function resultsOf(items: readonly Item[]): ToolResultItem[] {
  return items.filter((item): item is ToolResultItem => item.type === "tool_result");
}

test("F21: pruning loses nothing, leaves pairs intact and makes no item longer", async () => {
  const store = new FaultyStore();
  const before = new Map<string, string>();
  const { worker } = setUp({ turns: 30, lines: 40, store });
  worker.onEvent((event) => {
    if (event.type === "item_added" && event.item.type === "tool_result") {
      before.set(event.item.callId, toolResultText(event.item));
    }
  });
  await worker.run("go");
  assertPaired(worker.items);
  const results = resultsOf(worker.items);
  expect(results).toHaveLength(30);
  const pruned = results.filter((item) => item.content === undefined);
  expect(pruned.length).toBeGreaterThan(10);
  for (const [position, item] of results.entries()) {
    const was = before.get(item.callId) ?? "";
    expect(toolResultText(item).length).toBeLessThanOrEqual(was.length);
    if (item.content !== undefined) continue;
    expect(item.summary).toContain(`[blob:${item.blob?.id}]`);
    const { payload } = await readBlob(store, item.blob?.id ?? "");
    expect(Buffer.from(payload).toString()).toBe(`output ${position + 1}\n${LINE.repeat(40)}`);
  }
});

test("F21: the model reads a pruned result back with one inspect", async () => {
  const store = new FaultyStore();
  const { worker, provider } = setUp({ turns: 30, lines: 40, store });
  await worker.run("go");
  const [first] = resultsOf(worker.items);
  const asking = new ScriptedProvider(
    calls({ name: "inspect", input: { blob_id: first?.blob?.id, selector: "lines:1-2" } }),
    says("read"),
  );
  const restored = Worker.restore(worker.snapshot(), { provider: asking, store });
  await restored.run("what was the first line?");
  expect(resultsOf(restored.items).at(-1)?.summary).toContain("output 1\n");
  expect(provider.requests.length).toBeGreaterThan(0);
});

test("F21: so does the model of the worker whose prune has stored it", async () => {
  const store = new FaultyStore();
  const asks = (): Reaction =>
    calls({ name: "inspect", input: { blob_id: [...store.blobs.keys()][0] } });
  const print = Array.from({ length: 6 }, () => calls({ name: "print" }));
  const worker = new Worker({
    provider: new ScriptedProvider(...print, asks, says("read")),
    tools: [printer(400)],
    policy: summaryAndContent(),
    store,
  });
  worker.hook("preLlmRequest", prune({ store }));
  await worker.run("go");
  const answer = resultsOf(worker.items).at(-1);
  expect(answer?.summary).toContain("output 1\n");
  expect(answer?.isError).toBeUndefined();
});

test("F22: with too little to free not one byte of any request changes", async () => {
  const store = new FaultyStore();
  const options = { minSavingsTokens: 2000 };
  const { worker, provider } = setUp({ turns: 6, lines: 30, store, prune: options });
  await worker.run("go");
  expect(store.calls).toEqual([]);
  const bodies = provider.requests.map(({ items }) => JSON.stringify(items).slice(0, -1));
  for (const [i, body] of bodies.entries()) {
    expect(i === 0 || body.startsWith(bodies[i - 1] ?? "?")).toBe(true);
  }
});

test("F22: once pruned, the following three requests carry the same bytes", async () => {
  const { worker, provider } = setUp({
    turns: 12,
    lines: 400,
    prune: { minSavingsTokens: 20_000 },
  });
  const changedAt: number[] = [];
  worker.onEvent((event) => {
    if (event.type === "prefix_changed") changedAt.push(provider.requests.length);
  });
  await worker.run("go");
  const [first = 0, second] = changedAt;
  expect(second).toBeGreaterThan(first + 3);
  const bodies = provider.requests.map(({ items }) => JSON.stringify(items).slice(0, -1));
  for (const later of [1, 2, 3])
    expect(bodies[first + later]?.startsWith(bodies[first] ?? "?")).toBe(true);
  expect(bodies[first]?.length).toBeLessThan((bodies[first - 1]?.length ?? 0) - 40_000);
});

test("the newest turns and the locked prefix keep their contents", async () => {
  const { worker } = setUp({ turns: 8, lines: 400 });
  await worker.run("go");
  const kept = resultsOf(worker.items).map((item) => item.content !== undefined);
  // The last request was sent with eight results; its answer is a turn of its own.
  expect(kept).toEqual([false, false, false, false, false, true, true, true]);

  const locked = setUp({ turns: 8, lines: 400, prune: { protectedTurns: 0 } }).worker;
  locked.setItems(
    Array.from({ length: 4 }, (_, i): Item[] => [
      { type: "tool_call", callId: `l${i}`, name: "print", arguments: "{}" },
      { type: "tool_result", callId: `l${i}`, summary: "s", content: LINE.repeat(400) },
    ]).flat(),
  );
  await locked.lock().run("go");
  expect(resultsOf(locked.items.slice(0, 8)).every((item) => item.content !== undefined)).toBe(
    true,
  );
});

test("without a store the summary stays and the content goes", async () => {
  const { worker } = setUp({ turns: 8, lines: 400 });
  await worker.run("go");
  const [first] = resultsOf(worker.items);
  expect(first).toEqual({
    type: "tool_result",
    callId: "c0",
    summary: "401 lines | output 1…",
  });
});

test.each<[string, Fault]>([
  ["fails", { code: "no_space" }],
  ["throws", "throw"],
  ["does not answer", "hang"],
])("a store that %s keeps the content in the history and is reported", async (_name, fault) => {
  const store = new FaultyStore();
  store.faults = { store: fault };
  const failures: string[] = [];
  const { worker } = setUp({
    turns: 8,
    lines: 400,
    store,
    prune: {
      onStoreFailure: (_error, callId) => failures.push(callId),
      output: { storeTimeoutMs: 5 },
    },
  });
  await worker.run("go");
  expect(failures).toContain("c0");
  expect(resultsOf(worker.items).every((item) => item.content !== undefined)).toBe(true);
});

test("a store that fails is asked again once a batch more has grown old, not in each request", async () => {
  const failing: string[] = [];
  const store = new FaultyStore();
  store.faults = { store: { code: "unavailable" } };
  const { worker } = setUp({
    turns: 40,
    lines: 60,
    store,
    prune: { onStoreFailure: (_error, callId) => failing.push(callId) },
  });
  await worker.run("go");
  const asked = failing.filter((callId) => callId === "c0").length;
  expect(asked).toBeGreaterThan(1);
  expect(asked).toBeLessThan(20);
});

test("what was stored in a batch that freed too little is not stored again", async () => {
  class AlmostFullStore extends FaultyStore {
    override async store(content: Content): Promise<string> {
      const isLarge = content.type === "text" && content.text.length > 20_000;
      if (isLarge) throw Object.assign(new Error("full"), { code: "no_space" });
      return super.store(content);
    }
  }
  const store = new AlmostFullStore();
  const items = [LINE.repeat(100), LINE.repeat(2000)].flatMap((content, i): Item[] => [
    { type: "tool_call", callId: `c${i}`, name: "print", arguments: "{}" },
    { type: "tool_result", callId: `c${i}`, summary: "lines", content },
  ]);
  const hook = prune({ store, protectedTurns: 0 });
  const { signal } = new AbortController();
  for (let request = 0; request < 3; request += 1) {
    expect(
      await hook({ items, lockedItemCount: 0, turn: 1, estimatedTokens: 0 }, signal),
    ).toBeUndefined();
  }
  expect(store.blobs.size).toBe(1);
});

test.each(["protectedTurns", "minSavingsTokens", "minSavingsBytes", "minArgumentsBytes"])(
  "a %s that is no number is refused: it would take out what it should protect",
  (name) => {
    expect(() => prune({ [name]: Number.NaN })).toThrow(`${name} is NaN`);
    expect(() => prune({ [name]: Infinity })).not.toThrow();
  },
);

test("it acts where exactly as much is freed as it has to, and on calls only if told to", async () => {
  const items: readonly Item[] = [
    {
      type: "tool_call",
      callId: "c",
      name: "t",
      arguments: JSON.stringify({ a: "x".repeat(5000) }),
    },
    { type: "tool_result", callId: "c", summary: "s", content: LINE.repeat(10) },
  ];
  const prunedBy = async (options: PruneOptions): Promise<boolean> => {
    const facts = { items, lockedItemCount: 0, turn: 1, estimatedTokens: 0 };
    const hook = prune({ protectedTurns: 0, ...options });
    return (await hook(facts, new AbortController().signal)) !== undefined;
  };
  const minSavingsBytes = LINE.length * 10;
  expect(await prunedBy({ minSavingsBytes })).toBe(true);
  expect(await prunedBy({ minSavingsBytes: minSavingsBytes + 1 })).toBe(false);
  const ofCalls = { store: new FaultyStore(), minSavingsBytes: 4000 };
  expect(await prunedBy(ofCalls)).toBe(false);
  expect(await prunedBy({ ...ofCalls, minArgumentsBytes: 1000 })).toBe(true);
});
