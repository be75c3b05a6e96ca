import { LLMock } from "@copilotkit/aimock";
import { anthropic } from "@llm-worker/providers-anthropic";
import { gemini } from "@llm-worker/providers-gemini";
import { ollama } from "@llm-worker/providers-ollama";
import { openai } from "@llm-worker/providers-openai";
import {
  defineTool,
  type HttpProviderOptions,
  type Provider,
  type RunEvent,
  Worker,
} from "llm-worker";
import { MemoryBlobStore } from "llm-worker-persistence";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALL_WIRES } from "./wire-session.js";
import type { Wire } from "../src/wires.js";

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1" });
  await mock.start();
});
afterEach(() => mock.stop());

/** Small limits: nothing here should wait longer. */
const common = {
  retry: { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 5 },
  timeouts: { connectMs: 2000, firstByteMs: 5000, idleMs: 100 },
} as const;

type Common = Pick<HttpProviderOptions<unknown>, "retry" | "timeouts">;

const PROVIDERS: Readonly<Record<Wire, (url: string, common: Common) => Provider>> = {
  anthropic: (baseUrl, more) =>
    anthropic({ model: "claude-sonnet-5", apiKey: "k", baseUrl, ...more }),
  "openai-chat": (url, more) =>
    openai({ model: "gpt-5.6", api: "chat", apiKey: "k", baseUrl: `${url}/v1`, ...more }),
  "openai-responses": (url, more) =>
    openai({ model: "gpt-5.6", apiKey: "k", baseUrl: `${url}/v1`, ...more }),
  gemini: (baseUrl, more) => gemini({ model: "gemini-2.5-pro", apiKey: "k", baseUrl, ...more }),
  ollama: (baseUrl, more) => ollama({ model: "qwen3", baseUrl, ...more }),
};

const LOG: string = Array.from({ length: 3000 }, (_, i) => `line ${i + 1}\n`).join("");
const tools = [
  defineTool({
    name: "read_log",
    description: "Reads the log.",
    input: { type: "object", properties: { path: { type: "string" } } },
    execute: () => LOG,
  }),
  defineTool({
    name: "count",
    description: "Counts.",
    input: { type: "object", properties: {} },
    execute: () => "3000",
  }),
];

function workerOf(wire: Wire, options: Common = common): { worker: Worker; events: RunEvent[] } {
  const provider = PROVIDERS[wire](mock.url, options);
  const worker = new Worker({
    provider,
    tools,
    store: new MemoryBlobStore(),
    systemPrompt: "Be brief.",
  });
  const events: RunEvent[] = [];
  worker.onEvent((event) => events.push(event));
  return { worker, events };
}

function loopFixtures(): void {
  mock.addFixture({
    match: { userMessage: "read", hasToolResult: false },
    response: {
      toolCalls: [
        { name: "read_log", arguments: JSON.stringify({ path: "/var/log/é" }) },
        { name: "count", arguments: "{}" },
      ],
    },
    chunkSize: 3,
  });
  mock.addFixture({
    match: { userMessage: "read", hasToolResult: true },
    response: { content: "the log has 3000 lines, 漢字 and 😀" },
    chunkSize: 2,
  });
}

describe.each(ALL_WIRES)("aimock as the server peer of %s", (wire) => {
  test("a tool loop of several turns", async () => {
    loopFixtures();
    const { worker } = workerOf(wire);
    expect(await worker.run("read the log")).toMatchObject({
      status: "finished",
      text: "the log has 3000 lines, 漢字 and 😀",
      turns: 2,
    });
    const [stored, counted] = worker.items.filter((item) => item.type === "tool_result");
    expect(stored?.summary).toMatch(/^\[blob:[^\]]+\] text \| 3000 lines/);
    expect(counted?.summary).toBe("3000");
  });

  test.each([429, 529])("status %i with a delay is waited for and tried again", async (status) => {
    let failures = 0;
    mock.addFixture({
      match: { userMessage: "hello", predicate: () => failures++ === 0 },
      response: {
        error: { message: "slow down", type: "rate_limit_error" },
        status,
        retryAfter: 0,
      },
    });
    mock.addFixture({ match: { userMessage: "hello" }, response: { content: "hi" } });
    const { worker, events } = workerOf(wire);
    expect(await worker.run("hello")).toMatchObject({ status: "finished", text: "hi" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "status", status: "retrying", attempt: 1 }),
    );
  });

  test("a stream that is cut in the middle is an error, and the session can go on", async () => {
    // First: wires without an answer between them send both prompts as one message.
    mock.addFixture({ match: { userMessage: "again" }, response: { content: "whole" } });
    mock.addFixture({
      match: { userMessage: "cut" },
      response: { content: "this answer will not come to its end" },
      chunkSize: 4,
      truncateAfterChunks: 3,
    });
    const { worker } = workerOf(wire);
    await expect(worker.run("cut")).rejects.toMatchObject({
      code: expect.stringMatching(/^(network|protocol)$/),
    });
    expect(worker.items).toHaveLength(1);
    expect(await worker.run("again")).toMatchObject({ text: "whole" });
  });

  test("a slow stream is read to its end, a stalled one is left at the idle limit", async () => {
    mock.addFixture({
      match: { userMessage: "slow" },
      response: { content: "one two three" },
      chunkSize: 4,
      latency: 10,
    });
    mock.addFixture({
      match: { userMessage: "stall" },
      response: { content: "one two three" },
      chunkSize: 7,
      latency: 250,
    });
    const { worker } = workerOf(wire);
    expect(await worker.run("slow")).toMatchObject({ text: "one two three" });
    const once = { ...common, retry: { maxRetries: 0 } };
    await expect(workerOf(wire, once).worker.run("stall")).rejects.toMatchObject({
      code: "timeout",
    });
  });
});
