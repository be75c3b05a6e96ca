import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import {
  assertPaired,
  calls,
  says,
  ScriptedProvider,
  type Step,
} from "../../test/support/scripted-provider.js";
import { userMessage } from "../model/item.js";
import { defineTool, type Tool } from "../tool/tool.js";
import type { RunEvent } from "./run-event.js";
import { SnapshotError, type WorkerSnapshot } from "./snapshot.js";
import { Worker } from "./worker.js";

const ran = vi.fn((name: string) => `${name} done`);
function tool(name: string): Tool {
  return defineTool({
    name,
    description: "A tool.",
    input: z.object({}),
    execute: () => ran(name),
  });
}
const tools = [tool("safe"), tool("risky")];

function workerOf(...steps: readonly Step[]): { worker: Worker; provider: ScriptedProvider } {
  ran.mockClear();
  const provider = new ScriptedProvider(...steps);
  const worker = new Worker({ provider, tools });
  worker.hook("preToolCall", askFirst);
  return { worker, provider };
}

function askFirst({ name }: { readonly name: string }): { pause: string } | undefined {
  return name === "risky" ? { pause: "needs approval" } : undefined;
}

function throughJson(snapshot: WorkerSnapshot): WorkerSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as WorkerSnapshot;
}

describe("a pause for approval", () => {
  const twoCalls = calls({ name: "safe", callId: "a" }, { name: "risky", callId: "b" });

  test("runs what needs none and names what is pending", async () => {
    const { worker } = workerOf(twoCalls);
    const paused = vi.fn();
    worker.hook("onPause", paused);
    expect(await worker.run("go")).toMatchObject({
      status: "paused",
      reason: "needs approval",
      pending: [{ callId: "b", name: "risky", arguments: "{}" }],
    });
    expect(paused).toHaveBeenCalledTimes(1);
    expect(ran.mock.calls).toEqual([["safe"]]);
    expect(worker.pauseReason).toBe("needs approval");
    await expect(worker.run("more")).rejects.toMatchObject({ code: "paused" });
  });

  test.each([
    ["approve", { approve: ["b"] }, { summary: "risky done" }, 2],
    [
      "deny",
      { deny: { b: "too risky" } },
      { isError: true, summary: expect.stringContaining("too risky") },
      1,
    ],
    ["answer", { answers: { b: "42" } }, { summary: "42" }, 1],
  ] as const)(
    "goes on with %s, in another process, without running a finished tool again",
    async (_name, decisions, result, runs) => {
      const { worker, provider } = workerOf(twoCalls);
      await worker.run("go");
      const restored = Worker.restore(throughJson(worker.snapshot()), {
        provider: new ScriptedProvider(says("ok")),
        tools,
      });
      restored.hook("preToolCall", askFirst);
      expect(await restored.resume(decisions)).toMatchObject({ status: "finished", text: "ok" });
      expect(ran).toHaveBeenCalledTimes(runs);
      assertPaired(restored.items);
      expect(restored.items.slice(3, 5)).toMatchObject([
        { callId: "a", summary: "safe done" },
        { callId: "b", ...result },
      ]);
      expect(provider.requests).toHaveLength(1);
    },
  );

  test("an approved call runs with what hooks have made of its input, and can still be denied", async () => {
    const inputs: unknown[] = [];
    const write = defineTool({
      name: "write",
      description: "Writes a file.",
      input: z.object({ path: z.string() }),
      execute: (input) => inputs.push(input),
    });
    const worker = new Worker({
      provider: new ScriptedProvider(
        calls({ name: "write", input: { path: "a" } }, { name: "write", input: { path: "b" } }),
        says("ok"),
      ),
      tools: [write],
    });
    worker.hook("preToolCall", ({ input }) => ({
      input: { path: `home/${(input as { path: string }).path}` },
    }));
    worker.hook("preToolCall", () => ({ pause: "ask" }));
    worker.hook("preToolCall", ({ callId }) =>
      callId === "call_2" ? { deny: "never this one" } : undefined,
    );
    expect(await worker.run("go")).toMatchObject({ status: "paused" });
    expect(await worker.resume({ approve: ["call_1", "call_2"] })).toMatchObject({ text: "ok" });
    expect(inputs).toEqual([{ path: "home/a" }]);
    expect(worker.items[4]).toMatchObject({ isError: true });
  });

  test("a pending call without a decision meets the hook again", async () => {
    const { worker } = workerOf(twoCalls);
    await worker.run("go");
    expect(await worker.resume()).toMatchObject({ status: "paused" });
    expect(ran).toHaveBeenCalledTimes(1);
  });

  test("context added at the resume comes behind the results", async () => {
    const { worker, provider } = workerOf(twoCalls, says("ok"));
    worker.hook("onResume", () => ({ addContext: [userMessage("The approver says hi.")] }));
    await worker.run("go");
    await worker.resume({ approve: ["b"] });
    expect(provider.requests[1]?.items.slice(-3).map(({ type }) => type)).toEqual([
      "tool_result",
      "tool_result",
      "message",
    ]);
  });

  test("an abort while paused is not possible, but one on resume leaves pairs", async () => {
    const { worker } = workerOf(twoCalls);
    await worker.run("go");
    expect(await worker.resume({}, { signal: AbortSignal.abort() })).toMatchObject({
      status: "aborted",
    });
    assertPaired(worker.items);
    expect(worker.pauseReason).toBeUndefined();
  });

  test("an abort while the hooks are told of it does not undo it", async () => {
    const { worker } = workerOf(twoCalls);
    const abort = new AbortController();
    worker.hook("onPause", async () => abort.abort());
    const seen: RunEvent[] = [];
    worker.onEvent((event) => seen.push(event));
    expect(await worker.run("go", { signal: abort.signal })).toMatchObject({ status: "paused" });
    expect(seen.at(-1)).toMatchObject({ type: "run_end", status: "paused" });
    expect(worker.pauseReason).toBe("needs approval");
  });
});

test("a pause from outside takes effect between two turns", async () => {
  const { worker, provider } = workerOf(calls({ name: "safe" }), says("ok"));
  worker.onEvent((event) => {
    if (event.type === "tool_end") worker.pause("lunch");
  });
  expect(await worker.run("go")).toMatchObject({ status: "paused", reason: "lunch", pending: [] });
  expect(provider.requests).toHaveLength(1);
  expect(await worker.resume()).toMatchObject({ status: "finished", text: "ok" });
});

test("a pause that comes too late for its run does not hold up the next one", async () => {
  const { worker } = workerOf(says("done"), calls({ name: "safe" }), says("ok"));
  worker.onTextBlock(() => void worker.pause());
  expect(await worker.run("go")).toMatchObject({ status: "finished", text: "done" });
  const { status, pending } = await worker.run("more");
  expect([status, pending]).toEqual(["finished", undefined]);
});

test("a pause from outside during an answer holds its calls back", async () => {
  const { worker } = workerOf(calls({ name: "safe" }), says("ok"));
  worker.onToolUseBlock(() => void worker.pause());
  expect(await worker.run("go")).toMatchObject({ status: "paused", pending: [{ name: "safe" }] });
  expect(ran).not.toHaveBeenCalled();
  expect(await worker.resume()).toMatchObject({ status: "finished" });
});

test("onTurnEnd pauses a run that was over; the resume finishes it or goes on", async () => {
  const { worker } = workerOf(says("draft"), says("final"));
  worker.hook("onTurnEnd", ({ turn }) => (turn === 1 ? { pause: "review" } : undefined));
  expect(await worker.run("go")).toMatchObject({ status: "paused" });
  expect(await worker.resume()).toMatchObject({ status: "finished", turns: 0 });

  const second = workerOf(says("draft"), says("final")).worker;
  second.hook("onTurnEnd", ({ turn }) => (turn === 1 ? { pause: "review" } : undefined));
  second.hook("onResume", () => ({ addContext: [userMessage("Shorter.")] }));
  await second.run("go");
  expect(await second.resume()).toMatchObject({ status: "finished", text: "final" });
});

test("a run that is resumed counts its turns on", async () => {
  const provider = new ScriptedProvider(calls({ name: "risky" }), calls({ name: "safe" }));
  const worker = new Worker({ provider, tools, limits: { maxTurns: 2 } });
  worker.hook("preToolCall", askFirst);
  expect(await worker.run("go")).toMatchObject({ status: "paused", turns: 1 });
  expect(await worker.resume({ approve: ["call_1"] })).toMatchObject({
    status: "limit",
    limit: "turns",
    turns: 1,
  });
});

test("resume without a pause is refused", async () => {
  const { worker } = workerOf();
  await expect(worker.resume()).rejects.toMatchObject({ code: "not_paused" });
  expect(worker.pause()).toBe(false);
});

describe("snapshot", () => {
  test("taken after each finished tool, it never runs that tool again", async () => {
    const { worker } = workerOf(
      calls({ name: "safe", callId: "a" }, { name: "safe", callId: "b" }),
    );
    const snapshots: WorkerSnapshot[] = [];
    worker.onEvent((event) => {
      if (event.type === "tool_end") snapshots.push(throughJson(worker.snapshot()));
    });
    await worker.run("go").catch(() => {});
    const [afterFirst] = snapshots;
    expect(afterFirst?.openTurn?.results.filter((result) => result !== null)).toHaveLength(1);
    ran.mockClear();
    const restored = Worker.restore(afterFirst as WorkerSnapshot, {
      provider: new ScriptedProvider(says("ok")),
      tools,
    });
    expect(await restored.resume()).toMatchObject({ status: "finished" });
    expect(ran).toHaveBeenCalledTimes(1);
    assertPaired(restored.items);
  });

  test("taken at any event, it holds whole answers and whole turns", async () => {
    const { worker } = workerOf(calls({ name: "safe" }, { name: "safe" }), says("ok"));
    const snapshots: WorkerSnapshot[] = [];
    worker.onEvent(() => snapshots.push(throughJson(worker.snapshot())));
    await worker.run("go");
    for (const { items, openTurn } of snapshots) {
      const made = items.filter(({ type }) => type === "tool_call").length;
      const answered = items.filter(({ type }) => type === "tool_result").length;
      expect([made, answered]).toEqual(openTurn === undefined ? [made, made] : [2, 0]);
      expect([0, 2]).toContain(made);
    }
  });

  test("the restored worker's next request is the continuation of the last", async () => {
    const { worker, provider } = workerOf(calls({ name: "safe" }), says("ok"), says("more"));
    await worker.run("go");
    const next = new ScriptedProvider(says("more"));
    const restored = Worker.restore(throughJson(worker.snapshot()), { provider: next, tools });
    await restored.run("again");
    await worker.run("again");
    expect(next.requests[0]).toEqual(provider.requests[2]);
  });

  test("keeps the phase", async () => {
    const { worker } = workerOf(says("ok"));
    await worker.run("go");
    const restored = Worker.restore(throughJson(worker.lock().snapshot()), {
      provider: new ScriptedProvider(),
      tools,
    });
    expect(restored.phase).toBe("cache_locked");
  });

  test.each([
    [{ version: 99 }, "version 99"],
    [{ type: "other" }, "not a worker snapshot"],
    [{ items: "none" }, "not a worker snapshot"],
  ])("%j in it is refused with the reason", (change, words) => {
    const { worker } = workerOf();
    const snapshot = { ...worker.snapshot(), ...change } as unknown as WorkerSnapshot;
    expect(() => Worker.restore(snapshot, { provider: new ScriptedProvider() })).toThrow(words);
  });
});

test("what is no whole snapshot is refused as such", async () => {
  const { worker } = workerOf(calls({ name: "safe" }, { name: "risky" }));
  await worker.run("go");
  const whole = throughJson(worker.snapshot());
  const { openTurn, knownBlobIds: _ids, ...rest } = whole;
  const damaged: readonly unknown[] = [
    null,
    [],
    { ...whole, version: 99 },
    rest,
    { ...whole, items: [null] },
    { ...whole, phase: "frozen" },
    { ...whole, lockedItemCount: "1" },
    { ...whole, lockedItemCount: -1 },
    { ...whole, lockedItemCount: whole.items.length + 1 },
    { ...whole, openTurn: { ...openTurn, results: undefined } },
    { ...whole, pause: true },
  ];
  const restore = (snapshot: unknown): unknown =>
    Worker.restore(snapshot as WorkerSnapshot, { provider: new ScriptedProvider() });
  for (const snapshot of damaged) expect(() => restore(snapshot)).toThrow(SnapshotError);
  expect(() => restore(whole)).not.toThrow();
});
