import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { FaultyStore } from "../../test/support/faulty-store.js";
import {
  assertPaired,
  calls,
  says,
  ScriptedProvider,
  type Step,
} from "../../test/support/scripted-provider.js";
import { walk } from "../../test/support/walk.js";
import type { Item, ToolCallItem, ToolResultItem } from "../model/item.js";
import { toolResultText } from "../model/item.js";
import type { LlmRequest } from "../model/request.js";
import { lazyLoad } from "../output/lazy-load.js";
import { OutputLimitsError } from "../errors.js";
import { profiles } from "../output/profiles.js";
import { summaryAndContent } from "../output/summary-and-content.js";
import { defineTool } from "../tool/tool.js";
import type { WorkerDeps } from "./worker-options.js";
import { Worker } from "./worker.js";

interface Session {
  readonly worker: Worker;
  readonly requests: readonly LlmRequest[];
  readonly store: FaultyStore;
}

/** One call a turn: each prints its output; `text` makes the call itself long. */
async function runSession(
  outputs: readonly string[],
  options: Omit<WorkerDeps, "provider"> = {},
  textOf: (turn: number) => string = () => "",
): Promise<Session> {
  const store = new FaultyStore();
  const print = defineTool({
    name: "print",
    description: "Prints.",
    input: z.object({ turn: z.number(), text: z.string() }),
    execute: ({ turn }) => outputs[turn],
  });
  const steps = outputs.map((_, turn): Step =>
    calls({ name: "print", callId: `c${turn}`, input: { turn, text: textOf(turn) } }),
  );
  const provider = new ScriptedProvider(...steps, says("ok"));
  const worker = new Worker({ store, ...options, provider, tools: [print] });
  await worker.run("go");
  return { worker, requests: provider.requests, store };
}

function resultOf(items: readonly Item[], callId: string): ToolResultItem {
  const item = items.find((one) => one.type === "tool_result" && one.callId === callId);
  if (item?.type !== "tool_result") throw new Error(`no result ${callId}`);
  return item;
}

function callOf(items: readonly Item[], callId: string): ToolCallItem {
  const item = items.find((one) => one.type === "tool_call" && one.callId === callId);
  if (item?.type !== "tool_call") throw new Error(`no call ${callId}`);
  return item;
}

/** Request number `n` sends the results of turns before it; the first request is 0. */
const isWhole = (request: LlmRequest | undefined, callId: string): boolean =>
  resultOf(request?.items ?? [], callId).content !== undefined;

const medium = (turn: number): string => `output ${turn}\n`.padEnd(12_000, "some words and ");

describe("the profile", () => {
  test("`lean` is the default, and each has its own threshold", async () => {
    const outputs = [800, 801, 1025, 4096, 4097].map((bytes) => "x".repeat(bytes));
    const stored = async (options: Omit<WorkerDeps, "provider">): Promise<boolean[]> => {
      const { worker } = await runSession(outputs, options);
      return outputs.map((_, turn) => resultOf(worker.items, `c${turn}`).blob !== undefined);
    };
    expect(await stored({})).toEqual([false, true, true, true, true]);
    expect(await stored({ profile: "balanced" })).toEqual([false, false, false, false, true]);
    expect(await stored({ profile: "fresh" })).toEqual([false, false, true, true, true]);
  });

  test("gives way to limits of the worker, and those to limits of a tool", async () => {
    const { worker } = await runSession(["x".repeat(3000)], {
      profile: "balanced",
      output: { inlineMaxBytes: 100, headLines: 1 },
      outputByTool: { print: { inlineMaxBytes: 2999 }, other: { inlineMaxBytes: 9 } },
    });
    const { summary } = resultOf(worker.items, "c0");
    expect(summary).toContain("[blob:");
    expect(Buffer.byteLength(summary)).toBeGreaterThan(400);
    const inline = await runSession(["x".repeat(3000)], {
      outputByTool: { print: { inlineMaxBytes: 3000 } },
    });
    expect(resultOf(inline.worker.items, "c0").blob).toBeUndefined();
  });

  test("has to be one that there is, or an object, and every limit one that can be kept", () => {
    const provider = new ScriptedProvider();
    // @ts-expect-error there is no such profile
    expect(() => new Worker({ provider, profile: "thin" })).toThrow(OutputLimitsError);
    expect(() => new Worker({ provider, profile: profiles.fresh })).not.toThrow();
    expect(() => new Worker({ provider, turnInlineMaxBytes: -1 })).toThrow(OutputLimitsError);
    const inspect = { maxAnswerBytes: 100 };
    const store = new FaultyStore();
    expect(() => new Worker({ provider, store, inspect })).toThrow(OutputLimitsError);
    const aging = { protectedTurns: 3, minSavingsBytes: Number.NaN };
    expect(() => new Worker({ provider, store, profile: { ...profiles.fresh, aging } })).toThrow(
      "minSavingsBytes is NaN",
    );
  });
});

describe("`fresh`", () => {
  test("shows an output whole in its first 3 requests, and then takes a batch of over 32 KB out", async () => {
    const { requests, worker } = await runSession(
      Array.from({ length: 8 }, (_, turn) => medium(turn)),
      {
        profile: "fresh",
      },
    );
    for (let turn = 0; turn < 5; turn += 1) {
      for (const later of [1, 2, 3]) expect(isWhole(requests[turn + later], `c${turn}`)).toBe(true);
    }
    // Three outputs of 12 KB are old enough when the sixth request is made.
    const wholeFirst = requests.map((request, n) => n > 0 && isWhole(request, "c0"));
    expect(wholeFirst).toEqual([false, true, true, true, true, true, false, false, false]);
    expect(resultOf(worker.items, "c0").summary).toMatch(
      /^\[blob:\S+\] text \| 2 lines \| 12000 bytes$/,
    );
    expect(resultOf(worker.items, "c3").content).toBe(medium(3));
  });

  test("is sticky: between two batches each request goes on where the last one ended", async () => {
    const { requests } = await runSession(
      Array.from({ length: 20 }, (_, turn) => medium(turn)),
      {
        profile: "fresh",
      },
    );
    const bodies = requests.map(({ items }) => JSON.stringify(items).slice(0, -1));
    const breaks = bodies.filter((body, n) => n > 0 && !body.startsWith(bodies[n - 1] ?? "?"));
    expect(breaks).toHaveLength(5);
  });

  test("shortens old calls in the same batch, and the model can read their arguments back", async () => {
    const text = (turn: number): string => `text ${turn} `.padEnd(4000, "abc ");
    const { requests, store, worker } = await runSession(
      Array.from({ length: 8 }, (_, turn) => medium(turn)),
      { profile: "fresh" },
      text,
    );
    expect(callOf(requests[4]?.items ?? [], "c0").arguments).toContain(text(0));
    const call = callOf(worker.items, "c0");
    expect(JSON.parse(call.arguments)).toEqual({
      turn: 0,
      text: `[blob:${call.blob?.id}] | key:text`,
    });
    expect(JSON.parse(callOf(worker.items, "c7").arguments)).toEqual({ turn: 7, text: text(7) });
    const provider = new ScriptedProvider(
      calls({ name: "inspect", input: { blob_id: call.blob?.id, selector: "key:text" } }),
      says("read"),
    );
    const restored = Worker.restore(worker.snapshot(), { provider, store, profile: "fresh" });
    await restored.run("what did you write first?");
    expect(
      toolResultText(
        restored.items.findLast((item) => item.type === "tool_result") as ToolResultItem,
      ),
    ).toContain(text(0));
  });

  test("leaves the locked prefix and everything without a store as it is", async () => {
    const outputs = Array.from({ length: 8 }, (_, turn) => medium(turn));
    const before = await runSession(outputs.slice(0, 2), { profile: "fresh" });
    const provider = new ScriptedProvider(
      ...Array.from({ length: 6 }, (_, turn): Step => calls({ name: "print", callId: `d${turn}` })),
      says("ok"),
    );
    const print = defineTool({
      name: "print",
      description: "",
      input: z.object({}),
      execute: () => medium(9),
    });
    const worker = new Worker({
      provider,
      store: before.store,
      tools: [print],
      profile: "fresh",
      items: before.worker.items,
    });
    await worker.lock().run("go");
    expect(isWhole(provider.requests.at(-1), "c0")).toBe(true);
    expect(isWhole(provider.requests.at(-1), "d0")).toBe(false);

    const storeless = await runSession(outputs, { profile: "fresh", store: undefined });
    expect(outputs.every((_, turn) => isWhole(storeless.requests.at(-1), `c${turn}`))).toBe(true);
  });
});

const output = fc.oneof(
  fc.integer({ min: 0, max: 3000 }).map((bytes) => "é\n".repeat(bytes)),
  fc.integer({ min: 0, max: 40_000 }).map((bytes) => "line of words\n".repeat(bytes / 14)),
  fc
    .array(fc.record({ id: fc.nat(), name: fc.string() }), { maxLength: 200 })
    .map((value) => JSON.stringify(value)),
);

test("whatever profile and policy: no item grows, calls stay paired, and no byte of an output is lost", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(output, { minLength: 1, maxLength: 12 }),
      fc.constantFrom("lean", "balanced", "fresh"),
      fc.constantFrom(lazyLoad, summaryAndContent),
      async (outputs, profile, policy) => {
        const { worker, requests, store } = await runSession(
          outputs,
          { profile, policy: policy() },
          (turn) => "t".repeat(turn * 500),
        );
        assertPaired(worker.items);
        const sizes = new Map<string, number>();
        for (const { items } of requests) {
          for (const item of items) {
            if (item.type !== "tool_result" && item.type !== "tool_call") continue;
            const key = `${item.type} ${item.callId}`;
            const text = item.type === "tool_call" ? item.arguments : toolResultText(item);
            expect(text.length).toBeLessThanOrEqual(sizes.get(key) ?? Infinity);
            sizes.set(key, text.length);
          }
        }
        for (const [turn, whole] of outputs.entries()) {
          const { blob, content, summary } = resultOf(worker.items, `c${turn}`);
          const found =
            blob === undefined
              ? (content ?? summary)
              : (await walk(store, blob.id)).bytes.toString();
          expect(found).toBe(whole);
        }
      },
    ),
    { numRuns: 60 },
  );
});
