import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { FaultyStore } from "../../test/support/faulty-store.js";
import { calls, says, ScriptedProvider } from "../../test/support/scripted-provider.js";
import { readBlob } from "../inspect/read.js";
import { type ToolResultItem, toolResultText } from "../model/item.js";
import { ABORT_GRACE_MS } from "../output/store-deadline.js";
import { summaryAndContent } from "../output/summary-and-content.js";
import { ToolOutput } from "../output/tool-output.js";
import { defineTool } from "../tool/tool.js";
import type { RunEvent } from "./run-event.js";
import type { WorkerDeps } from "./worker-options.js";
import { Worker } from "./worker.js";

const BUDGET_BYTES = 65_536;

/** Output `n` of a turn: distinct, of exactly so many bytes. */
function output(n: number, bytes: number): string {
  return `output ${n}\n`.padEnd(bytes, "some words and ");
}

interface Turn {
  readonly results: readonly ToolResultItem[];
  readonly texts: readonly string[];
  readonly totalBytes: number;
  readonly events: readonly RunEvent[];
  readonly store: FaultyStore;
}

/** Runs one turn of parallel calls that return these. */
async function runTurn(
  outputs: readonly unknown[],
  options: Omit<WorkerDeps, "provider"> = {},
  store: FaultyStore = new FaultyStore(),
): Promise<Turn> {
  const print = defineTool({
    name: "print",
    description: "Prints.",
    input: z.object({ n: z.number() }),
    execute: ({ n }) => outputs[n],
  });
  const made = outputs.map((_, n) => ({ name: "print", callId: `c${n}`, input: { n } }));
  const provider = new ScriptedProvider(calls(...made), says("ok"));
  const worker = new Worker({ store, ...options, provider, tools: [print] });
  const events: RunEvent[] = [];
  worker.onEvent((event) => events.push(event));
  await worker.run("go");
  const results = worker.items.filter((item) => item.type === "tool_result");
  const texts = results.map(toolResultText);
  const totalBytes = texts.reduce((total, text) => total + Buffer.byteLength(text), 0);
  return { results, texts, totalBytes, events, store };
}

describe("parallel results of one turn", () => {
  test("50 outputs of 4 KB under `balanced` have at most 64 KiB in the history, in call order", async () => {
    const outputs = Array.from({ length: 50 }, (_, n) => output(n, 4000));
    const { results, totalBytes, store, events } = await runTurn(outputs, { profile: "balanced" });
    expect(totalBytes).toBeLessThanOrEqual(BUDGET_BYTES);
    expect(results.map(({ callId }) => callId)).toEqual(outputs.map((_, n) => `c${n}`));
    for (const [n, item] of results.entries()) {
      const whole =
        item.blob === undefined
          ? item.summary
          : Buffer.from((await readBlob(store, item.blob.id)).payload).toString();
      expect(whole).toBe(outputs[n]);
    }
    const stored = results.filter(({ blob }) => blob !== undefined);
    expect(stored.length).toBeLessThan(50);
    expect(events.filter(({ type }) => type === "output_stored")).toHaveLength(stored.length);
    expect(stored.every(({ summary }) => summary.length <= 1024)).toBe(true);
  });

  test("the largest are stored first, and no more than is needed", async () => {
    const sizes = [3000, 20_000, 4000, 30_000, 16_000];
    const { results } = await runTurn(
      sizes.map((bytes, n) => output(n, bytes)),
      {
        output: { inlineMaxBytes: 40_000 },
      },
    );
    expect(results.map(({ blob }) => blob !== undefined)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  test("within the budget nothing is stored, and one result alone has no budget", async () => {
    const options = { output: { inlineMaxBytes: 200_000 } };
    const within = await runTurn([output(0, 30_000), output(1, 30_000)], options);
    expect(within.store.calls).toEqual([]);
    const alone = await runTurn([output(0, 150_000)], options);
    expect(alone.store.calls).toEqual([]);
  });

  test("fresh outputs over the budget lose their content to a whole summary, stored once", async () => {
    const outputs = Array.from({ length: 12 }, (_, n) => output(n, 10_000));
    const { results, totalBytes, store } = await runTurn(outputs, { profile: "fresh" });
    expect(totalBytes).toBeLessThanOrEqual(BUDGET_BYTES);
    expect(store.blobs.size).toBe(12);
    const summaries = results.filter(({ content }) => content === undefined);
    expect(summaries).toHaveLength(6);
    for (const { summary, blob } of summaries) {
      expect(summary).toMatch(new RegExp(`^\\[blob:${blob?.id}\\] text .*\\n── head ──\\noutput`));
    }
  });

  test("contents over the budget keep a tool's own words, and lose ours to a sample", async () => {
    const own = { summary: "3 tests failed", content: output(1, 40_000) };
    const { results } = await runTurn([output(0, 40_000), own], {
      policy: summaryAndContent(),
      turnInlineMaxBytes: 1000,
    });
    expect(results[0]?.summary).toMatch(/^\[blob:\S+\] text .*\n── head ──\noutput/);
    expect(results[1]?.summary).toMatch(/^\[blob:\S+\] text .*\n3 tests failed$/);
  });

  test("a text that the tool wants inline stays, and counts", async () => {
    const pinned = ToolOutput.inline(output(0, 60_000));
    const { texts, results } = await runTurn([pinned, output(1, 700), output(2, 20_000)], {
      output: { inlineMaxBytes: 40_000 },
    });
    expect(texts[0]).toBe(pinned.text);
    expect(results.map(({ blob }) => blob !== undefined)).toEqual([false, false, true]);
  });

  test("what is read back is neither stored nor counted", async () => {
    const store = new FaultyStore();
    const id = await store.store({ type: "text", text: output(0, 15_000) });
    const looks = Array.from({ length: 10 }, () => ({ name: "inspect", input: { blob_id: id } }));
    const seen = {
      type: "tool_result",
      callId: "before",
      summary: "s",
      blob: { id, kind: "text", byteCount: 15_000 },
    } as const;
    const print = defineTool({
      name: "print",
      description: "Prints.",
      input: z.object({}),
      execute: () => output(1, 10_000),
    });
    const worker = new Worker({
      provider: new ScriptedProvider(calls(...looks, { name: "print" }), says("ok")),
      store,
      tools: [print],
      output: { inlineMaxBytes: 10_000 },
      items: [{ type: "tool_call", callId: "before", name: "read", arguments: "{}" }, seen],
    });
    await worker.run("look");
    expect(store.blobs.size).toBe(1);
    expect(worker.items.at(-2)).toMatchObject({ summary: output(1, 10_000) });
    expect(
      worker.items.filter(
        (item) => item.type === "tool_result" && item.summary.includes("output 0"),
      ),
    ).toHaveLength(10);
  });

  test("results whose summaries would save less than half stay, however many there are", async () => {
    const outputs = Array.from({ length: 120 }, (_, n) => output(n, 700));
    const { texts, totalBytes, store } = await runTurn(outputs);
    expect(totalBytes).toBeGreaterThan(BUDGET_BYTES);
    expect(texts).toEqual(outputs);
    expect(store.blobs.size).toBe(0);
  });

  test("a store that fails leaves the results as they are, and is reported", async () => {
    const store = new FaultyStore();
    store.faults = { store: { code: "no_space" } };
    const outputs = Array.from({ length: 50 }, (_, n) => output(n, 4000));
    const { texts, events } = await runTurn(outputs, { profile: "balanced" }, store);
    expect(texts).toEqual(outputs);
    expect(events).toContainEqual({
      type: "output_store_failed",
      callId: "c0",
      toolName: "print",
      code: "no_space",
      message: "the disk says no_space",
      byteCount: 4000,
      keptBytes: 4000,
    });
  });

  test("what is left of an output that could not be stored is not stored in its place", async () => {
    const store = new FaultyStore();
    store.faults = { store: { code: "no_space" } };
    const outputs = [output(0, 40_000), output(1, 40_000)];
    const options = { turnInlineMaxBytes: 1000, output: { fallbackMaxBytes: 8000 } };
    const { events, texts } = await runTurn(outputs, options, store);
    expect(events.filter(({ type }) => type === "output_store_failed")).toHaveLength(2);
    expect(store.calls).toEqual(["store", "store"]);
    expect(texts.every((text) => text.startsWith("[incomplete: "))).toBe(true);
  });

  test("the budget can be set, and without a store nothing is taken out", async () => {
    const outputs = Array.from({ length: 4 }, (_, n) => output(n, 4000));
    const tight = await runTurn(outputs, { profile: "balanced", turnInlineMaxBytes: 6000 });
    expect(tight.results.filter(({ blob }) => blob !== undefined)).toHaveLength(4);
    const storeless = await runTurn(outputs, { store: undefined, turnInlineMaxBytes: 6000 });
    expect(storeless.results.map(({ content }) => content)).toEqual(outputs);
  });

  test("an abort gives a store that hangs its short grace, also after the calls have ended", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const abort = new AbortController();
    const store = new FaultyStore();
    store.faults = { store: "hang" };
    const print = defineTool({
      name: "print",
      description: "Prints.",
      input: z.object({}),
      execute: () => output(1, 40_000),
    });
    const two = calls({ name: "print", callId: "c1" }, { name: "print", callId: "c2" });
    const worker = new Worker({
      provider: new ScriptedProvider(two),
      store,
      tools: [print],
      output: { inlineMaxBytes: 40_000 },
    });
    const run = worker.run("go", { signal: abort.signal });
    await vi.waitUntil(() => store.calls.length > 0);
    abort.abort();
    await vi.advanceTimersByTimeAsync(ABORT_GRACE_MS);
    expect(await run).toMatchObject({ status: "aborted" });
  });
});
