import { describe, expect, test } from "vitest";
import { decodeCommand } from "../src/decode-command.js";
import { run } from "./support.js";

const lines = [
  { model: "m", created_at: "t", message: { role: "assistant", content: "Grüße" }, done: false },
  {
    message: { content: "", tool_calls: [{ function: { name: "now", arguments: {} } }] },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 5,
    eval_count: 9,
  },
];
const stream = lines.map((line) => `${JSON.stringify(line)}\n`).join("");

async function outcomeOf(args: readonly string[], file: string): Promise<unknown> {
  const { exitCode, printed, complained } = await run(decodeCommand, args, { file });
  expect({ exitCode, complained }).toEqual({ exitCode: 0, complained: "" });
  return JSON.parse(printed);
}

test("a stream is printed in the form of the expectations", async () => {
  const expected = {
    format: 1,
    wire: "ollama",
    file: "a.ndjson",
    http: { status: 200 },
    streamed: true,
    outcome: "ok",
    text: "Grüße",
    reasoning: "",
    toolCalls: [{ name: "now", arguments: {} }],
    stop: { reason: "tool_use", raw: "stop" },
    usage: {
      inputTotal: 5,
      cacheRead: null,
      cacheWrite: null,
      outputTotal: 9,
      reasoning: null,
      raw: { prompt_eval_count: 5, eval_count: 9 },
    },
    parts: [
      { type: "text", text: "Grüße" },
      { type: "tool_call", name: "now", arguments: {} },
    ],
    model: "m",
  };
  expect(await outcomeOf(["ollama", "some/a.ndjson"], stream)).toEqual(expected);
  expect(await outcomeOf(["ollama", "some/a.ndjson", "--split", "1"], stream)).toEqual(expected);
});

test("a single answer is told from a stream by its bytes", async () => {
  const body = JSON.stringify({
    id: "msg_1",
    type: "message",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 1 },
  });
  expect(await outcomeOf(["anthropic", "a.json"], body)).toMatchObject({
    streamed: false,
    outcome: "ok",
    text: "Hi",
    id: "msg_1",
  });
});

describe("a failure", () => {
  test("with a status is classified, its wait taken from the headers", async () => {
    const args = ["anthropic", "a.json", "--status", "429", "--header", "Retry-After: 7"];
    const body = '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}';
    expect(await outcomeOf(args, body)).toMatchObject({
      outcome: "error",
      http: { status: 429 },
      error: {
        status: 429,
        type: "rate_limit_error",
        code: null,
        message: "slow down",
        retryable: true,
        retryAfterMs: 7_000,
      },
      llmError: { code: "rate_limited" },
    });
  });

  test("with status 200 is one too", async () => {
    expect(await outcomeOf(["ollama", "a.json"], '{"error":"busy"}')).toMatchObject({
      outcome: "error_in_200",
      error: { status: 200, message: "busy", retryable: null },
      llmError: { code: "server", retryable: true },
    });
  });

  test("within a stream keeps what came before it", async () => {
    const body = `${JSON.stringify(lines[0])}\n{"error":"the runner has terminated"}\n`;
    expect(await outcomeOf(["ollama", "a.ndjson"], body)).toMatchObject({
      outcome: "error_midstream",
      text: "Grüße",
      stop: { reason: "none" },
      error: { message: "the runner has terminated" },
    });
  });

  test("to come to an end is an incomplete answer", async () => {
    expect(await outcomeOf(["ollama", "a.ndjson"], stream.slice(0, 90))).toMatchObject({
      outcome: "incomplete",
      stop: { reason: "none", raw: null },
      llmError: { code: "protocol" },
    });
  });
});

describe("wrong usage", () => {
  test.each([
    [[], "WIRE is missing: one of anthropic, openai-chat, openai-responses, gemini, ollama"],
    [["smoke"], 'there is no wire "smoke"'],
    [["toString", "a"], 'there is no wire "toString"'],
    [["ollama"], "FILE is missing"],
    [["ollama", "a", "b"], "one FILE at a time"],
    [["ollama", "a", "--status", "x"], "--status wants a whole number"],
    [["ollama", "a", "--split", "0"], "--split wants a whole number"],
    [["ollama", "a", "--header", "x"], '--header wants "name: value"'],
    [["ollama", "a", "--colour"], "--colour"],
  ])("%j says what is wrong and how it goes", async (args, problem) => {
    const { exitCode, printed, complained } = await run(decodeCommand, args, { file: "" });
    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: "" });
    expect(complained).toContain(problem);
    expect(complained).toContain("usage: node tools/wire-decode.mjs WIRE FILE");
  });
});

test("a file that cannot be read is no matter of usage", async () => {
  expect(await run(decodeCommand, ["ollama", "gone.ndjson"])).toEqual({
    exitCode: 1,
    printed: "",
    complained: "wire-decode: no such file: gone.ndjson",
  });
});

test("--help is printed", async () => {
  expect(await run(decodeCommand, ["--help"])).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining("--split"),
  });
});

test("standard input is read for the file -", async () => {
  const { printed } = await run(decodeCommand, ["ollama", "-"], { stdin: stream });
  expect(JSON.parse(printed)).toMatchObject({ file: "-", outcome: "ok", text: "Grüße" });
});
