import { expect, test } from "vitest";
import * as z from "zod";
import { FaultyStore } from "../../test/support/faulty-store.js";
import { calls, says, ScriptedProvider, type Step } from "../../test/support/scripted-provider.js";
import type { Provider } from "../client/provider.js";
import { MemoryFileBackend } from "../output/memory-file-backend.js";
import { offloadToFile } from "../output/offload-to-file.js";
import { defineTool } from "../tool/tool.js";
import { Worker } from "../worker/worker.js";
import type { WorkerDeps } from "../worker/worker-options.js";
import { instrument } from "./instrument.js";
import type { OtelApi, OtelAttributes, OtelSpan } from "./otel-api.js";

interface Recorded {
  readonly name: string;
  readonly parent: string | undefined;
  attributes: OtelAttributes;
  failed: boolean;
  ends: number;
  readonly events: OtelAttributes[];
}

/** A tracer that keeps what it is told, in the shape of the OpenTelemetry API. */
function recorder(): { readonly api: OtelApi; readonly spans: Recorded[] } {
  const spans: Recorded[] = [];
  const names = new Map<OtelSpan, string>();
  const api: OtelApi = {
    context: { active: () => undefined },
    trace: {
      setSpan: (_context, span) => names.get(span),
      getTracer: () => ({
        startSpan(name, options, context) {
          const recorded: Recorded = {
            name,
            parent: typeof context === "string" ? context : undefined,
            attributes: { ...options?.attributes },
            failed: false,
            ends: 0,
            events: [],
          };
          spans.push(recorded);
          const span: OtelSpan = {
            setAttributes: (more) => Object.assign(recorded.attributes, more),
            setStatus: () => (recorded.failed = true),
            addEvent: (event, more) => recorded.events.push({ name: event, ...more }),
            end: () => void (recorded.ends += 1),
          };
          names.set(span, name);
          return span;
        },
      }),
    },
  };
  return { api, spans };
}

const SECRET = "the secret of the log\n";

function workerOf(...steps: readonly Step[]): Worker {
  return workerWith({ store: new FaultyStore() }, ...steps);
}

function workerWith(deps: Partial<WorkerDeps>, ...steps: readonly Step[]): Worker {
  const read = defineTool({
    name: "read",
    description: "Reads.",
    input: z.looseObject({}),
    execute: () => SECRET.repeat(200),
  });
  return new Worker({
    provider: new ScriptedProvider(...steps),
    tools: [read],
    ...deps,
  });
}

test("a run, its requests and its tools are spans with sizes and tokens, without a payload", async () => {
  const { api, spans } = recorder();
  const worker = workerOf(
    calls({ name: "read", input: { note: "private" } }),
    says("a private answer"),
  );
  await instrument(worker, { api });
  await worker.run("a private question");
  expect(spans.map(({ name, parent, ends }) => [name, parent, ends])).toEqual([
    ["invoke_agent", undefined, 1],
    ["chat scripted-1", "invoke_agent", 1],
    ["execute_tool read", "invoke_agent", 1],
    ["chat scripted-1", "invoke_agent", 1],
  ]);
  expect(spans[0]?.attributes).toMatchObject({
    "gen_ai.provider.name": "scripted",
    "llm_worker.run.turns": 2,
    "llm_worker.run.status": "finished",
  });
  expect(spans[1]?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.response.finish_reasons": ["tool_use"],
  });
  expect(spans[2]?.attributes).toMatchObject({
    "gen_ai.tool.call.id": "call_1",
    "llm_worker.output.stored_bytes": 4400,
  });
  const summaryBytes = Number(spans[2]?.attributes["llm_worker.output.summary_bytes"]);
  expect(summaryBytes).toBeLessThanOrEqual(400);
  expect(spans[2]?.attributes["llm_worker.output.saved_tokens"]).toBe(
    Math.round((4400 - summaryBytes) / 4),
  );
  expect(JSON.stringify(spans)).not.toMatch(/private|secret/);
});

test("sizes are told also of outputs that went to a file, or to the store after their calls", async () => {
  const byteCount = SECRET.length * 200;
  const sizes = { "llm_worker.output.stored_bytes": byteCount };
  const toFile = recorder();
  const policy = offloadToFile({ backend: new MemoryFileBackend(), tokenLimit: 10 });
  const offloading = workerWith({ policy }, calls({ name: "read" }), says("ok"));
  await instrument(offloading, { api: toFile.api });
  await offloading.run("go");
  expect(toFile.spans[2]?.attributes).toMatchObject(sizes);

  const late = recorder();
  const budget = { store: new FaultyStore(), turnInlineMaxBytes: byteCount + 400 };
  const output = { inlineMaxBytes: byteCount };
  const sharing = workerWith(
    { ...budget, output },
    calls({ name: "read" }, { name: "read" }),
    says("ok"),
  );
  await instrument(sharing, { api: late.api });
  await sharing.run("go");
  const [id] = budget.store.blobs.keys();
  expect(late.spans[0]?.events).toEqual([
    expect.objectContaining({ name: "output_stored", "llm_worker.blob.id": id, ...sizes }),
  ]);
});

test("what fails is marked, and every span ends once", async () => {
  const { api, spans } = recorder();
  const worker = workerOf(calls({ name: "nope" }), [
    { type: "error", error: { code: "overloaded", message: "busy", retryable: true } },
  ]);
  await instrument(worker, { api });
  await worker.run("go").catch(() => {});
  expect(spans.every(({ ends }) => ends === 1)).toBe(true);
  expect(spans.filter(({ failed }) => failed).map(({ name }) => name)).toEqual([
    "invoke_agent",
    "chat scripted-1",
  ]);
  expect(spans.at(-1)?.attributes).toMatchObject({ "error.type": "overloaded" });
  expect(spans[0]?.attributes).toMatchObject({ "llm_worker.run.turns": 1 });
});

test("the turns of a provider that tells of no requests are counted", async () => {
  const { api, spans } = recorder();
  const scripted = new ScriptedProvider(calls({ name: "nope" }), says("ok"));
  const provider: Provider = {
    name: "quiet",
    model: "quiet-1",
    stream: (request) => scripted.stream(request),
  };
  const worker = new Worker({ provider });
  await instrument(worker, { api });
  const { turns } = await worker.run("go");
  expect(spans[0]?.attributes).toMatchObject({ "llm_worker.run.turns": turns });
});

test("an aborted run leaves no span open", async () => {
  const { api, spans } = recorder();
  const worker = workerOf(calls({ name: "read" }));
  await instrument(worker, { api });
  for await (const event of worker.stream("go")) if (event.type === "tool_start") break;
  await new Promise(setImmediate);
  expect(spans.every(({ ends }) => ends === 1)).toBe(true);
});

test("two calls of one id that have no end end with the run", async () => {
  const { api, spans } = recorder();
  const worker = workerOf(calls({ name: "read", callId: "a" }, { name: "read", callId: "a" }));
  await instrument(worker, { api });
  worker.onCheckpoint(({ moment }) =>
    moment.at === "tool_result" ? Promise.reject(new Error("disk full")) : Promise.resolve(),
  );
  await expect(worker.run("go")).rejects.toThrow("disk full");
  expect(spans.map(({ ends }) => ends)).toEqual([1, 1, 1, 1]);
});

test("a later report of usage keeps what it does not say", async () => {
  const { api, spans } = recorder();
  const worker = workerOf([
    { type: "usage", usage: { inputTokens: 7, outputTokens: undefined } },
    { type: "usage", usage: { inputTokens: undefined, outputTokens: 2 } },
    { type: "status", status: "response_finished", stop: { reason: "end" } },
  ]);
  await instrument(worker, { api });
  await worker.run("go");
  expect(spans[1]?.attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 2,
  });
});

test("stops when told to", async () => {
  const { api, spans } = recorder();
  const worker = workerOf(says("ok"));
  (await instrument(worker, { api }))();
  await worker.run("go");
  expect(spans).toEqual([]);
});
