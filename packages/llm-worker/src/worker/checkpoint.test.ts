import { expect, test } from "vitest";
import { calls, says, ScriptedProvider } from "../../test/support/scripted-provider.js";
import { defineTool } from "../tool/tool.js";
import type { Checkpoint } from "./checkpoint.js";
import { RunError } from "./run-result.js";
import type { RunEvent } from "./run-event.js";
import { Worker } from "./worker.js";

const ran: string[] = [];
const tool = defineTool({
  name: "work",
  description: "Works.",
  input: { type: "object" },
  execute: (_input, { callId }) => {
    ran.push(callId);
    return "done";
  },
});

function watched(...steps: ConstructorParameters<typeof ScriptedProvider>): {
  readonly worker: Worker;
  readonly provider: ScriptedProvider;
  readonly seen: Checkpoint[];
} {
  const provider = new ScriptedProvider(...steps);
  const worker = new Worker({ provider, tools: [tool] });
  const seen: Checkpoint[] = [];
  worker.onCheckpoint(async (checkpoint) => {
    seen.push(checkpoint);
  });
  return { worker, provider, seen };
}

test("checkpoints come before each request, before calls run, after each result and at the end", async () => {
  const { worker, seen } = watched(calls({ name: "work" }, { name: "work" }), says("ok"));
  await worker.run("go");
  expect(seen.map(({ moment }) => moment.at)).toEqual([
    "request",
    "tool_calls",
    "tool_result",
    "tool_result",
    "turn_end",
    "request",
    "turn_end",
    "run_end",
  ]);
  expect(seen[0]?.snapshot.items).toHaveLength(1);
  expect(seen[1]?.snapshot.openTurn?.calls).toHaveLength(2);
  expect(seen.at(-1)).toMatchObject({
    moment: { status: "finished", turns: 2 },
    snapshot: { items: worker.items },
  });
});

test("nothing goes on before the checkpoint is saved", async () => {
  const { worker, provider } = watched(calls({ name: "work", callId: "late" }), says("ok"));
  const requestsAt: number[] = [];
  const ranBefore: string[] = [];
  worker.onCheckpoint(async ({ moment }) => {
    await new Promise(setImmediate);
    if (moment.at === "request") requestsAt.push(provider.requests.length);
    if (moment.at === "tool_calls") ranBefore.push(...ran);
  });
  await worker.run("go");
  expect(ranBefore).not.toContain("late");
  expect(requestsAt).toEqual([0, 1]);
});

test("items of two checkpoints are the same objects as long as they have not changed", async () => {
  const { worker, seen } = watched(says("ok"));
  await worker.run("go");
  expect(seen.at(-1)?.snapshot.items[0]).toBe(seen[0]?.snapshot.items[0]);
  expect(seen[0]?.snapshot.items).toHaveLength(1);
});

test("a checkpoint that cannot be saved fails the run before the request", async () => {
  const { worker, provider } = watched(says("ok"));
  const events: RunEvent[] = [];
  worker.onEvent((event) => events.push(event));
  const refused = new Error("the disk is full");
  const stop = worker.onCheckpoint(() => Promise.reject(refused));
  await expect(worker.run("go")).rejects.toBe(refused);
  expect(provider.requests).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "failed" });
  stop();
  expect(await worker.run()).toMatchObject({ status: "finished" });
});

test("a run that fails on its own is saved as failed", async () => {
  const { worker, seen } = watched([
    { type: "error", error: { code: "overloaded", message: "busy", retryable: true } },
  ]);
  await expect(worker.run("go")).rejects.toThrow(RunError);
  expect(seen.at(-1)?.moment).toMatchObject({ at: "run_end", status: "failed" });
});

test("a saver that throws does not hide why a run has failed", async () => {
  const { worker } = watched([
    { type: "error", error: { code: "overloaded", message: "busy", retryable: true } },
  ]);
  const events: RunEvent[] = [];
  worker.onEvent((event) => events.push(event));
  const broken = new Error("the disk is full");
  worker.onCheckpoint(({ moment }) => {
    if (moment.at === "run_end") throw broken;
    return Promise.resolve();
  });
  await expect(worker.run("go")).rejects.toThrow(RunError);
  expect(events.slice(-2)).toMatchObject([
    { type: "subscriber_failed", error: broken },
    { type: "run_end", status: "failed" },
  ]);
});

test("what changes outside of a run is saved when the caller asks for it", async () => {
  const { worker, seen } = watched();
  worker.setSystemPrompt("be brief");
  await worker.checkpoint();
  expect(seen).toMatchObject([
    { moment: { at: "explicit" }, snapshot: { systemPrompt: "be brief" } },
  ]);
});
