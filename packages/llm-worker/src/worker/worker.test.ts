import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  assertPaired,
  calls,
  finished,
  says,
  ScriptedProvider,
  type Step,
} from "../../test/support/scripted-provider.js";
import type { Event } from "../model/event.js";
import { type Item, userMessage } from "../model/item.js";
import * as kinds from "../timeline/kinds.js";
import { defineTool, type Tool, type ToolContext } from "../tool/tool.js";
import { PROVIDER_GRACE_MS } from "./read-batches.js";
import type { RunEvent } from "./run-event.js";
import { RunError } from "./run-result.js";
import { Worker } from "./worker.js";
import type { WorkerOptions } from "./worker-options.js";

function tool(
  name: string,
  execute: (input: unknown, context: ToolContext) => unknown = () => `${name} done`,
): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    input: z.looseObject({}),
    execute,
  });
}

function workerOf(
  steps: readonly Step[],
  options: Omit<WorkerOptions, "provider"> = {},
): { worker: Worker; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(...steps);
  return { worker: new Worker({ provider, ...options }), provider };
}

/** Begins to listen; the function then gives what node has warned of. */
function collectWarnings(): () => Promise<readonly string[]> {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  return async () => {
    await new Promise(setImmediate);
    return warnings;
  };
}

function types(items: readonly Item[]): string[] {
  return items.map((item) => item.type);
}

describe("a run", () => {
  test("goes on turn by turn until the model calls no more tools", async () => {
    const { worker, provider } = workerOf(
      [calls({ name: "read" }, { name: "list" }), calls({ name: "read" }), says("all read")],
      { tools: [tool("read"), tool("list")], systemPrompt: "Be brief." },
    );
    const result = await worker.run("read it");
    expect(result).toMatchObject({ status: "finished", text: "all read", turns: 3 });
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 3 });
    expect(types(worker.items)).toEqual([
      "message",
      "tool_call",
      "tool_call",
      "tool_result",
      "tool_result",
      "tool_call",
      "tool_result",
      "message",
    ]);
    expect(provider.requests.map(({ items }) => items.length)).toEqual([1, 5, 7]);
    expect(provider.requests[0]).toMatchObject({ systemPrompt: "Be brief." });
    expect(provider.requests[0]?.tools.map(({ name }) => name)).toEqual(["read", "list"]);
  });

  test("each request begins with the bytes of the one before", async () => {
    const { worker, provider } = workerOf([calls({ name: "t" }), calls({ name: "t" }), says("x")], {
      tools: [tool("t")],
    });
    await worker.run("go");
    const bodies = provider.requests.map(({ items }) => JSON.stringify(items).slice(0, -1));
    expect(bodies[1]?.startsWith(bodies[0] ?? "?")).toBe(true);
    expect(bodies[2]?.startsWith(bodies[1] ?? "?")).toBe(true);
  });

  test("results are in the order of the calls, whatever the order in which the tools end", async () => {
    const release: (() => void)[] = [];
    const slow = tool("slow", () => new Promise((resolve) => release.push(() => resolve("slow"))));
    const fast = tool("fast", () => {
      queueMicrotask(() => release[0]?.());
      return "fast";
    });
    const { worker } = workerOf([calls({ name: "slow" }, { name: "fast" }), says("ok")], {
      tools: [slow, fast],
    });
    await worker.run("go");
    expect(worker.items.slice(3, 5)).toMatchObject([
      { callId: "call_1", summary: "slow" },
      { callId: "call_2", summary: "fast" },
    ]);
  });

  test("what the model is asked to repair is an error result, and the run goes on", async () => {
    const { worker } = workerOf(
      [
        calls({ name: "nope" }, { name: "t", arguments: '{"a":' }, { name: "broken" }),
        says("sorry"),
      ],
      {
        tools: [
          tool("t"),
          tool("broken", () => {
            throw new Error("no disk");
          }),
        ],
      },
    );
    const result = await worker.run("go");
    expect(result.status).toBe("finished");
    expect(worker.items.slice(4, 7)).toMatchObject([
      { isError: true, summary: expect.stringContaining("no tool") },
      { isError: true, summary: expect.stringContaining("not valid JSON") },
      { isError: true, summary: expect.stringContaining("no disk") },
    ]);
  });

  test.each(["max_tokens", "context_window"] as const)(
    "a call that was cut off by %s is not run",
    async (reason) => {
      const ran = vi.fn(() => "ran");
      const cut = calls({ name: "t", input: {} }, { name: "t", arguments: "" }).slice(0, -2);
      const { worker } = workerOf([[...cut, ...finished(reason)], says("ok")], {
        tools: [tool("t", ran)],
      });
      await worker.run("go");
      expect(ran).toHaveBeenCalledTimes(1);
      expect(worker.items[4]).toMatchObject({
        isError: true,
        summary: expect.stringContaining("token limit"),
      });
    },
  );

  test("the text of a run is that of its last answer, also where that says nothing", async () => {
    const speaks = [...says("Let me look.").slice(0, -2), ...calls({ name: "t" })];
    const { worker } = workerOf([speaks, finished("end")], { tools: [tool("t", () => "seen")] });
    expect(await worker.run("go")).toMatchObject({ status: "finished", text: "" });
  });

  test.each(["refusal", "content_filter"] as const)(
    "calls of an answer that ends in %s are not run, and the run ends with it",
    async (reason) => {
      const ran = vi.fn(() => "ran");
      const refused = calls({ name: "t" }).slice(0, -2);
      const { worker } = workerOf([[...refused, ...finished(reason)]], {
        tools: [tool("t", ran)],
      });
      expect(await worker.run("go")).toMatchObject({ status: "finished", stop: { reason } });
      expect(ran).not.toHaveBeenCalled();
      assertPaired(worker.items);
    },
  );

  test("a refusal without calls is an answer like any other", async () => {
    const { worker } = workerOf([says("I cannot help with that.", "refusal")]);
    expect(await worker.run("go")).toMatchObject({
      status: "finished",
      text: "I cannot help with that.",
      stop: { reason: "refusal" },
    });
  });

  test("a server that pauses its own turn gets it back as it is", async () => {
    const { worker, provider } = workerOf([says("searching", "pause"), says("found")]);
    const result = await worker.run("go");
    expect(result).toMatchObject({ status: "finished", turns: 2 });
    expect(types(provider.requests[1]?.items ?? [])).toEqual(["message", "message"]);
  });

  test("half a character in a prompt is repaired before it enters the history", async () => {
    const { worker } = workerOf([says("ok")]);
    await worker.run("a\ud83d b");
    expect(worker.items[0]).toEqual(userMessage("a\ufffd b"));
    const parts = workerOf([says("ok")]).worker;
    await parts.run([{ type: "text", text: "a\ud83d b" }]);
    expect(parts.items[0]).toEqual(userMessage("a\ufffd b"));
  });

  test("so is one in a system prompt", () => {
    const { worker } = workerOf([], { systemPrompt: "a\ud83d" });
    expect(worker.snapshot().systemPrompt).toBe("a\ufffd");
    worker.setSystemPrompt("\udc00b");
    expect(worker.snapshot().systemPrompt).toBe("\ufffdb");
  });

  test("a second run at the same time is refused", async () => {
    const { worker } = workerOf([says("ok")]);
    const first = worker.run("go");
    await expect(worker.run("again")).rejects.toMatchObject({ code: "run_in_progress" });
    await first;
  });

  test("an output that looks like what a reading tool gives is an output like any other", async () => {
    const output = { text: "seen", isError: true };
    const { worker } = workerOf([calls({ name: "t" }), says("ok")], {
      tools: [tool("t", () => output)],
    });
    await worker.run("go");
    expect(worker.items[2]).toEqual({
      type: "tool_result",
      callId: expect.any(String),
      summary: JSON.stringify(output),
    });
  });

  test("many calls of one turn wait for their place without a warning", async () => {
    const warnings = collectWarnings();
    const { worker } = workerOf(
      [
        calls(...Array.from({ length: 60 }, (_, i) => ({ name: "t", callId: `c${i}` }))),
        says("ok"),
      ],
      { tools: [tool("t", () => new Promise((resolve) => setImmediate(resolve, "done")))] },
    );
    await worker.run("go");
    expect(await warnings()).toEqual([]);
    expect(worker.items).toHaveLength(122);
  });

  test("a tool and a hook may do many things at once under their signal, without a warning", async () => {
    const warnings = collectWarnings();
    const doMuch = async (signal: AbortSignal): Promise<void> => {
      for (let i = 0; i < 20; i += 1) signal.addEventListener("abort", () => {});
    };
    const { worker } = workerOf([calls({ name: "t" }), says("ok")], {
      tools: [tool("t", (_input, { signal }) => doMuch(signal))],
    });
    worker.hook("preLlmRequest", (_facts, signal) => doMuch(signal));
    await worker.run("go");
    expect(await warnings()).toEqual([]);
  });

  test("ends at its turn limit with a history that can be continued", async () => {
    const { worker } = workerOf([calls({ name: "t" }), calls({ name: "t" }), says("done")], {
      tools: [tool("t")],
      limits: { maxTurns: 2 },
    });
    expect(await worker.run("go")).toMatchObject({ status: "limit", limit: "turns", turns: 2 });
    assertPaired(worker.items);
    expect(await worker.run()).toMatchObject({ status: "finished", text: "done" });
  });

  test("ends at its token limit, for which input and output count", async () => {
    const runWith = (maxTokens: number): ReturnType<Worker["run"]> => {
      const { worker } = workerOf([calls({ name: "t" }), calls({ name: "t" }), says("done")], {
        tools: [tool("t")],
        limits: { maxTokens },
      });
      return worker.run("go");
    };
    expect(await runWith(22)).toMatchObject({ status: "limit", limit: "tokens", turns: 2 });
    expect(await runWith(23)).toMatchObject({ status: "finished", turns: 3 });
  });

  test.each(["maxTurns", "maxTokens", "maxWallTimeMs"])(
    "is refused with a %s that is no number: it would never be met",
    (name) => {
      const options = { limits: { [name]: Number.NaN } };
      expect(() => workerOf([says("hi")], options)).toThrow(`${name} is NaN`);
      expect(() => workerOf([says("hi")], { limits: { [name]: Infinity } })).not.toThrow();
    },
  );

  test("is refused with a time for hooks or tools that is no number: it would be met at once", () => {
    const timeoutMs = Number.NaN;
    expect(() => workerOf([], { hookTimeoutMs: timeoutMs })).toThrow("hookTimeoutMs is NaN");
    expect(() => workerOf([], { toolServer: { timeoutMs } })).toThrow(
      "toolServer.timeoutMs is NaN",
    );
  });

  test("ends at its wall time, even inside a tool that does not listen", async () => {
    const { worker } = workerOf([calls({ name: "t" })], {
      tools: [tool("t", () => new Promise(() => {}))],
      limits: { maxWallTimeMs: 5 },
    });
    expect(await worker.run("go")).toMatchObject({ status: "limit", limit: "wall_time" });
    assertPaired(worker.items);
  });
});

describe("a failed model call", () => {
  const overloaded: Event = {
    type: "error",
    error: { code: "overloaded", message: "busy", retryable: true },
  };

  test("rejects with its code, keeps the history as it was, and can be tried again", async () => {
    const { worker } = workerOf([
      [
        { type: "block_start", index: 0, kind: "text" },
        { type: "block_delta", index: 0, text: "half an ans" },
        { type: "block_abort", index: 0, reason: "busy" },
        overloaded,
      ],
      says("whole"),
    ]);
    const error = await worker.run("go").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({
      code: "overloaded",
      partialItems: [{ content: [{ text: "half an ans" }] }],
    });
    expect(types(worker.items)).toEqual(["message"]);
    expect(await worker.run()).toMatchObject({ text: "whole" });
  });

  test("a stream that ends without saying why is a failure", async () => {
    const { worker } = workerOf([[{ type: "block_start", index: 0, kind: "text" }]]);
    await expect(worker.run("go")).rejects.toMatchObject({ code: "protocol" });
  });
});

describe("an abort", () => {
  test("before the run: nothing is added", async () => {
    const { worker } = workerOf([]);
    const result = await worker.run("go", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: "aborted", items: [] });
  });

  test("in the middle of an answer: its text stays, half a call does not", async () => {
    const abort = new AbortController();
    const { worker } = workerOf([
      async function* () {
        yield [
          { type: "block_start", index: 0, kind: "text" },
          { type: "block_delta", index: 0, text: "Let me" },
          { type: "block_start", index: 1, kind: "tool_use", callId: "c", name: "t" },
          { type: "block_delta", index: 1, text: '{"a' },
        ];
        abort.abort();
        yield [{ type: "error", error: { code: "aborted", message: "aborted", retryable: false } }];
      },
      says("hello again"),
    ]);
    expect(await worker.run("go", { signal: abort.signal })).toMatchObject({ status: "aborted" });
    expect(types(worker.items)).toEqual(["message", "message"]);
    expect(await worker.run("go on")).toMatchObject({ status: "finished" });
  });

  test("behind nothing but thinking or blank text: neither stays, as it could not be sent again", async () => {
    const abort = new AbortController();
    const { worker } = workerOf([
      async function* () {
        yield [
          { type: "block_start", index: 0, kind: "thinking" },
          { type: "block_delta", index: 0, text: "Hm." },
          { type: "block_stop", index: 0 },
          { type: "block_start", index: 1, kind: "text" },
          { type: "block_delta", index: 1, text: " \n" },
        ];
        abort.abort();
      },
    ]);
    expect(await worker.run("go", { signal: abort.signal })).toMatchObject({ status: "aborted" });
    expect(worker.items).toEqual([userMessage("go")]);
  });

  test("in the middle of the tools: what was done stays, the rest has a result that says so", async () => {
    const abort = new AbortController();
    const { worker } = workerOf([calls({ name: "quick" }, { name: "stuck" })], {
      tools: [
        tool("quick"),
        tool("stuck", () => {
          setImmediate(() => abort.abort());
          return new Promise(() => {});
        }),
      ],
    });
    const aborted = vi.fn();
    worker.hook("onAbort", aborted);
    expect(await worker.run("go", { signal: abort.signal })).toMatchObject({ status: "aborted" });
    expect(aborted).toHaveBeenCalledTimes(1);
    assertPaired(worker.items);
    expect(worker.items.slice(3)).toMatchObject([
      { summary: "quick done" },
      { isError: true, summary: expect.stringContaining("stopped") },
    ]);
  });

  test("a signal that many runs share has one listener, and nothing stays with it", async () => {
    const any = vi.spyOn(AbortSignal, "any");
    const { signal } = new AbortController();
    const listeners = (): number => getEventListeners(signal, "abort").length;
    const counted: number[] = [];
    const runs = Array.from({ length: 20 }, async (_, i) => {
      const count = (): void => void counted.push(listeners());
      const { worker } = workerOf([calls({ name: "t" }), says("ok")], {
        tools: [tool("t", count)],
      });
      worker.hook("preToolCall", () => undefined);
      if (i % 2 === 0) return worker.run("go", { signal });
      const stream = worker.stream("go", { signal });
      for await (const event of stream) if (event.type === "run_end") break;
      return stream.result;
    });
    await Promise.all(runs);
    expect(new Set(counted)).toEqual(new Set([1]));
    expect(listeners()).toBe(0);
    // On Node 20 it leaves a reference on the signal for good, each time.
    expect(any).not.toHaveBeenCalled();
    any.mockRestore();
  });

  test("of a provider that does not heed it: it is left behind, and its text stays", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const deaf: Step = async function* () {
      yield says("half").slice(0, 2);
      yield await new Promise<never>(() => {});
    };
    const { worker } = workerOf([deaf, says("ok")]);
    const abort = new AbortController();
    const moments: string[] = [];
    worker.onTextBlock(({ type }) => {
      moments.push(type);
      if (type === "delta") abort.abort();
    });
    const aborted = vi.fn();
    worker.onEvent((event) => event.type === "block_abort" && aborted(event.index));
    const run = worker.run("go", { signal: abort.signal });
    await vi.advanceTimersByTimeAsync(PROVIDER_GRACE_MS);
    expect(await run).toMatchObject({ status: "aborted", text: "half" });
    // Whoever watches is told of the end of each block, once.
    expect(moments).toEqual(["start", "delta", "abort"]);
    expect(aborted.mock.calls).toEqual([[0]]);
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
    expect(await worker.run("again")).toMatchObject({ text: "ok" });
  });

  test("by leaving the stream", async () => {
    const { worker } = workerOf([calls({ name: "t" }), says("never asked")], {
      tools: [tool("t")],
    });
    const stream = worker.stream("go");
    for await (const event of stream) if (event.type === "tool_start") break;
    expect(await stream.result).toMatchObject({ status: "aborted" });
    assertPaired(worker.items);
  });
});

describe("stream", () => {
  test("yields what the model and the worker do, in order, and ends", async () => {
    const { worker } = workerOf([calls({ name: "t" }), says("ok")], { tools: [tool("t")] });
    const seen: string[] = [];
    const stream = worker.stream("go");
    for await (const event of stream) seen.push(event.type);
    const answer = "block_start block_delta block_stop usage status";
    expect(seen.join(" ")).toBe(
      `run_start item_added turn_start request ${answer} item_added tool_start tool_end item_added turn_end ` +
        `turn_start request ${answer} item_added turn_end run_end`,
    );
    expect(await stream.result).toMatchObject({ status: "finished" });
  });

  test("throws what the run throws, and leaves no rejection behind", async () => {
    const { worker } = workerOf([
      [{ type: "error", error: { code: "auth", message: "bad key", retryable: false } }],
    ]);
    const read = async (): Promise<void> => {
      for await (const _event of worker.stream("go")) void _event;
    };
    await expect(read()).rejects.toMatchObject({ code: "auth" });
  });

  test("a reader that is far behind holds the run up instead of filling the memory", async () => {
    let batches = 0;
    const { worker } = workerOf([
      async function* () {
        yield [{ type: "block_start", index: 0, kind: "text" }];
        for (; batches < 10_000; batches += 1) {
          yield [{ type: "block_delta", index: 0, text: "x" }];
        }
        yield [{ type: "block_stop", index: 0 }, ...finished("end")];
      },
    ]);
    const reader = worker.stream("go")[Symbol.asyncIterator]();
    await reader.next();
    for (let i = 0; i < 100; i += 1) await new Promise(setImmediate);
    expect(batches).toBeLessThan(2_000);
    let count = 0;
    while ((await reader.next()).done !== true) count += 1;
    expect(count).toBeGreaterThan(10_000);
  });
});

describe("a stream that nobody reads", () => {
  const endless: Step = async function* (_request, signal) {
    yield [{ type: "block_start", index: 0, kind: "text" }];
    while (!signal.aborted) yield [{ type: "block_delta", index: 0, text: "x" }];
  };

  test("ends at an abort, and at its wall time", async () => {
    const { worker } = workerOf([endless]);
    const abort = new AbortController();
    const { result } = worker.stream("go", { signal: abort.signal });
    for (let i = 0; i < 10; i += 1) await new Promise(setImmediate);
    abort.abort();
    expect(await result).toMatchObject({ status: "aborted" });
    const limited = workerOf([endless], { limits: { maxWallTimeMs: 5 } }).worker;
    expect(await limited.stream("go").result).toMatchObject({ status: "limit" });
  });

  test("ends when it is left before its first event, or while that is waited for", async () => {
    const unread = workerOf([endless]).worker.stream("go");
    await unread[Symbol.asyncIterator]().return?.();
    expect(await unread.result).toMatchObject({ status: "aborted" });

    const silent: Step = async function* (_request, signal) {
      yield await new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const waiting = workerOf([silent]).worker.stream("go");
    const reader = waiting[Symbol.asyncIterator]();
    for (let i = 0; i < 4; i += 1) await reader.next();
    const next = reader.next();
    await reader.return?.();
    expect(await next).toMatchObject({ done: true });
    expect(await waiting.result).toMatchObject({ status: "aborted" });
  });
});

describe("callbacks", () => {
  test("each returns its own unsubscribe", async () => {
    const { worker } = workerOf([says("one"), says("two")]);
    const texts: string[] = [];
    const stop = worker.onTextBlock((moment) => {
      if (moment.type === "stop") texts.push(moment.text);
    });
    await worker.run("a");
    stop();
    await worker.run("b");
    expect(texts).toEqual(["one"]);
  });

  test("one that throws is reported and never breaks the run", async () => {
    const { worker } = workerOf([says("one")]);
    const reports: RunEvent[] = [];
    worker.onTextBlock(() => {
      throw new Error("broken view");
    });
    worker.onEvent(() => {
      throw new Error("broken log");
    });
    worker.onEvent((event) => void (event.type === "subscriber_failed" && reports.push(event)));
    expect(await worker.run("a")).toMatchObject({ status: "finished" });
    expect(reports.length).toBeGreaterThan(3);
  });

  test("an async one that rejects is reported too, and does not end the process", async () => {
    const { worker } = workerOf([calls({ name: "t" }), says("ok")], { tools: [tool("t")] });
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    // `unknown`, as a linter would otherwise see what is wrong.
    const fails = (what: string) => (): unknown => Promise.reject(new Error(what));
    worker.onTextBlock(fails("text"));
    worker.onToolUseBlock(fails("call"));
    worker.onUsage(fails("usage"));
    worker.onEvent(fails("event"));
    worker.on(kinds.textBlock, { open: fails("open"), on: () => undefined });
    worker.on(kinds.toolUseBlock, { open: () => undefined, on: fails("on") });
    const reports = new Set<string>();
    worker.onEvent((event) => {
      if (event.type === "subscriber_failed") reports.add(String(event.error));
    });
    expect(await worker.run("a")).toMatchObject({ status: "finished" });
    await new Promise(setImmediate);
    expect([...reports].sort()).toEqual(
      ["call", "event", "on", "open", "text", "usage"].map((s) => `Error: ${s}`),
    );
    expect(unheard).not.toHaveBeenCalled();
    process.off("unhandledRejection", unheard);
  });

  test("all kinds can be watched", async () => {
    const { worker } = workerOf([
      [
        { type: "ping" },
        { type: "block_start", index: 0, kind: "thinking" },
        { type: "block_stop", index: 0 },
        ...calls({ name: "nope", callId: "c9" }),
      ],
      [{ type: "error", error: { code: "server", message: "no", retryable: false } }],
    ]);
    const seen: unknown[] = [];
    worker.onPing(() => seen.push("ping"));
    worker.onThinkingBlock(({ type }) => seen.push(`thinking ${type}`));
    worker.onToolUseBlock(({ type }, { callId }) => seen.push(`${callId} ${type}`));
    worker.onUsage(({ usage }) => seen.push(usage.inputTokens));
    worker.onStatus(({ status }) => seen.push(status));
    worker.onError(({ error }) => seen.push(error.code));
    await worker.run("a").catch(() => {});
    expect(seen.join(", ")).toBe(
      "ping, thinking start, thinking stop, c9 start, c9 delta, c9 stop, 10, response_finished, server",
    );
  });
});
