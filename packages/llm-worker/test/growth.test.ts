import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { Event } from "../src/model/event.js";
import type { Item } from "../src/model/item.js";
import { blockCallback } from "../src/timeline/callbacks.js";
import { textBlock } from "../src/timeline/kinds.js";
import { Timeline } from "../src/timeline/timeline.js";
import { defineTool, type Tool } from "../src/tool/tool.js";
import { prune } from "../src/worker/prune.js";
import { Worker } from "../src/worker/worker.js";
import { CountingProvider } from "./support/counting-provider.js";
import { FaultyStore, FaultyStreamStore } from "./support/faulty-store.js";
import { calls, finished, says } from "./support/scripted-provider.js";

// Work is counted and not timed, at one size and at four times that size: a path that has become
// quadratic does 16 times the work, however fast the machine is.
const TIMES = 4;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The work at a size, and at four times that size. */
async function atBothSizes<Work>(
  size: number,
  work: (size: number) => Work | Promise<Work>,
): Promise<readonly [small: Work, large: Work]> {
  return [await work(size), await work(TIMES * size)];
}

function printer(text: string): Tool {
  return defineTool({
    name: "print",
    description: "Prints.",
    input: z.object({ text: z.string().optional() }),
    execute: () => text,
  });
}

/** Calls `print` in each of so many turns, and then is done. */
function callsFor(turns: number): CountingProvider {
  return new CountingProvider((n) =>
    n > turns ? says("done") : calls({ name: "print", callId: `c${n}` }),
  );
}

/** One block of so many deltas. */
function block(start: Extract<Event, { type: "block_start" }>, deltas: string[]): Event[] {
  const { index } = start;
  return [
    start,
    ...deltas.map((text): Event => ({ type: "block_delta", index, text })),
    { type: "block_stop", index },
  ];
}

/** How many characters pieces were joined to, and how many were read as JSON. */
function watchWholes(): { joinedCharacters(): number; parsedCharacters(): number } {
  const join = vi.spyOn(Array.prototype, "join");
  const parse = vi.spyOn(JSON, "parse");
  return {
    joinedCharacters: () =>
      join.mock.results.reduce((sum, { value }) => sum + (value as string).length, 0),
    parsedCharacters: () => parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0),
  };
}

describe("events", () => {
  test("are handed to each handler of their kind once, and to no other", async () => {
    const [small, large] = await atBothSizes(100, (deltas) => {
      const timeline = new Timeline();
      let handled = 0;
      for (let k = 0; k < 5; k++)
        timeline.on(
          textBlock,
          blockCallback(() => (handled += 1)),
        );
      const text = block(
        { type: "block_start", index: 0, kind: "text" },
        Array.from({ length: deltas }, () => "a"),
      );
      const thinking = block({ type: "block_start", index: 1, kind: "thinking" }, ["b", "c"]);
      for (const event of [...text, ...thinking]) timeline.dispatch(event);
      return handled;
    });
    expect([small, large]).toEqual([5 * (100 + 2), 5 * (400 + 2)]);
  });

  test("become text of which each piece is joined at most twice", async () => {
    const [small, large] = await atBothSizes(200, async (deltas) => {
      const pieces = Array.from({ length: deltas }, (_, i) => `${i} `);
      const worker = new Worker({
        provider: new CountingProvider(() => [
          ...block({ type: "block_start", index: 0, kind: "thinking" }, pieces),
          ...block({ type: "block_start", index: 1, kind: "text" }, pieces),
          ...finished("end"),
        ]),
      });
      let shown = 0;
      worker.onTextBlock((moment) => (shown += moment.type === "delta" ? moment.text.length : 0));
      const wholes = watchWholes();
      const { text } = await worker.run("go");
      const joined = wholes.joinedCharacters();
      vi.restoreAllMocks();
      expect(text).toHaveLength(shown);
      return joined / shown;
    });
    // The two items, and the one whole text that the callback is told.
    expect(small).toBeLessThanOrEqual(2 * 3);
    expect(large).toBeLessThanOrEqual(2 * 3);
  });

  test("become arguments that are joined twice and parsed once, in however many pieces 1 MB comes", async () => {
    const text = JSON.stringify({ text: "x".repeat(1_000_000) });
    const [small, large] = await atBothSizes(1000, async (count) => {
      const pieces = Array.from({ length: count }, (_, i) =>
        text.slice(
          Math.floor((i * text.length) / count),
          Math.floor(((i + 1) * text.length) / count),
        ),
      );
      const call = { type: "block_start", index: 0, kind: "tool_use", callId: "c1" } as const;
      const worker = new Worker({
        provider: new CountingProvider((n) =>
          n > 1
            ? says("done")
            : [...block({ ...call, name: "print" }, pieces), ...finished("tool_use")],
        ),
        tools: [printer("ok")],
      });
      const wholes = watchWholes();
      await worker.run("go");
      const joined = wholes.joinedCharacters();
      const parsed = wholes.parsedCharacters();
      vi.restoreAllMocks();
      expect(worker.items[1]).toMatchObject({ arguments: text });
      return { joined, parsed };
    });
    expect([small.parsed, large.parsed]).toEqual([text.length, text.length]);
    for (const { joined } of [small, large]) expect(joined).toBeLessThan(2.01 * text.length);
  });
});

describe("a history", () => {
  test("is looked at where it is new, whatever watches it", async () => {
    const [small, large] = await atBothSizes(50, async (turns) => {
      const store = new FaultyStore();
      const exists = vi.spyOn(store, "exists");
      const load = vi.spyOn(store, "load");
      const provider = callsFor(turns);
      let estimatedCharacters = 0;
      const worker = new Worker({
        provider,
        store,
        tools: [printer("a line of an output\n".repeat(100))],
        limits: { maxTurns: turns + 1 },
        estimateTextTokens: (text) => (estimatedCharacters += text.length),
      });
      let reported = 0;
      worker.onEvent(() => (reported += 1));
      worker.hook("preLlmRequest", () => undefined);
      await worker.run("go");
      expect(exists).not.toHaveBeenCalled();
      expect(load).not.toHaveBeenCalled();
      return {
        estimatedCharacters,
        reported,
        storeCalls: store.calls.length,
        requests: provider.requestCount,
        histories: provider.histories.size,
      };
    });
    expect(large.requests).toBe(201);
    expect([small.storeCalls, large.storeCalls]).toEqual([50, 200]);
    // Not copied for each request.
    expect([small.histories, large.histories]).toEqual([1, 1]);
    expect(large.reported).toBeLessThanOrEqual(TIMES * small.reported);
    // The system prompt, the tools and one item each time; the whole history would be 16 times as much.
    expect(large.estimatedCharacters).toBeLessThanOrEqual(TIMES * small.estimatedCharacters);
  });

  test("is pruned by looking at each output once, also if it stays and others go again and again", async () => {
    const [small, large] = await atBothSizes(50, async (turns) => {
      let looks = 0;
      const hook = prune({ store: new FaultyStore(), protectedTurns: 0, minSavingsBytes: 1 });
      let items: readonly Item[] = [];
      let batches = 0;
      for (let turn = 1; turn <= turns; turn++) {
        items = [...items, ...turnOf(turn, () => (looks += 1))];
        const facts = { turn, items, lockedItemCount: 0, estimatedTokens: 0 };
        const decision = await hook(facts, new AbortController().signal);
        if (decision === undefined || !("items" in decision)) continue;
        ({ items } = decision);
        batches += 1;
      }
      expect(batches).toBe(turns);
      return looks;
    });
    expect(large).toBe(TIMES * small);
  });

  /** A turn with one output that a prune takes out, and one that is too short to be worth it. */
  function turnOf(turn: number, onLook: () => void): Item[] {
    const callIds = [`long${turn}`, `short${turn}`];
    return [
      ...callIds.map((callId): Item => ({ type: "tool_call", callId, name: "t", arguments: "{}" })),
      { type: "tool_result", callId: `long${turn}`, summary: "s", content: "line\n".repeat(500) },
      {
        type: "tool_result",
        callId: `short${turn}`,
        summary: "s",
        get content() {
          onLook();
          return "short";
        },
      },
    ];
  }
});

describe("outputs", () => {
  test("of one turn are measured and stored once each, however many share its budget", async () => {
    const [small, large] = await atBothSizes(20, async (count) => {
      const store = new FaultyStore();
      const worker = new Worker({
        provider: new CountingProvider((n) =>
          n > 1
            ? says("done")
            : calls(
                ...Array.from({ length: count }, (_, i) => ({ name: "print", callId: `c${i}` })),
              ),
        ),
        store,
        tools: [printer("a line of an output\n".repeat(100))],
        output: { inlineMaxBytes: 4000 },
        turnInlineMaxBytes: 0,
      });
      const measured = vi.spyOn(Buffer, "byteLength");
      await worker.run("go");
      const measuredCharacters = measured.mock.calls.reduce(
        (sum, [text]) => sum + (typeof text === "string" ? text.length : 0),
        0,
      );
      vi.restoreAllMocks();
      return { measuredCharacters, stores: store.calls.length };
    });
    expect([small.stores, large.stores]).toEqual([20, 80]);
    expect(large.measuredCharacters).toBeLessThanOrEqual(TIMES * small.measuredCharacters);
  });

  test("that are streamed are written once, in bounded pieces", async () => {
    const [small, large] = await atBothSizes(1000, async (lines) => {
      const store = new FaultyStreamStore();
      store.keepsBytes = false;
      let bytes = 0;
      let largestWrite = 0;
      store.onWrite = (chunk) => {
        bytes += chunk.length;
        largestWrite = Math.max(largestWrite, chunk.length);
      };
      const line = "x".repeat(999);
      const stream = defineTool({
        name: "print",
        description: "Prints.",
        input: z.object({}),
        async *execute() {
          for (let i = 0; i < lines; i++) yield `${line}\n`;
        },
      });
      const worker = new Worker({ provider: callsFor(1), store, tools: [stream] });
      await worker.run("go");
      const writes = store.calls.filter((call) => call === "write").length;
      return { bytes, writes, largestWrite, others: store.calls.length - writes };
    });
    expect([small.bytes, large.bytes]).toEqual([1_000_000, 4_000_000]);
    expect(large.writes).toBeLessThanOrEqual(TIMES * small.writes);
    expect(large.largestWrite).toBeLessThanOrEqual(small.largestWrite);
    // Opened and committed.
    expect([small.others, large.others]).toEqual([2, 2]);
  });
});
