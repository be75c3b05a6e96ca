import { decodeDocument, decodePayloads, decodeStream, toOutcome } from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { OllamaScheme } from "./scheme.js";

const scheme = new OllamaScheme({ model: "test-model" });
const decode = (...lines: readonly unknown[]): readonly Event[] => decodePayloads(scheme, lines);
const decodeText = (text: string): readonly Event[] => decodeStream(scheme, [Buffer.from(text)]);

const line = (message: object, more: object = {}): object => ({
  model: "m",
  created_at: "2026-11-29T10:00:00Z",
  message: { role: "assistant", content: "", ...message },
  done: false,
  ...more,
});
const text = (content: string): object => line({ content });
const thinking = (piece: string): object => line({ thinking: piece });
const calling = (name: string, value: unknown = {}, id?: string): object =>
  line({
    tool_calls: [{ ...(id === undefined ? {} : { id }), function: { name, arguments: value } }],
  });
const end = (done_reason: unknown = "stop", more: object = {}): object =>
  line({}, { done: true, done_reason, prompt_eval_count: 5, eval_count: 9, ...more });

describe("the stream", () => {
  test("begins with the model and ends with usage and stop", () => {
    expect(decode(text("Hel"), text("lo"), end())).toEqual([
      { type: "status", status: "response_started", model: "m" },
      { type: "block_start", index: 0, kind: "text" },
      { type: "block_delta", index: 0, text: "Hel" },
      { type: "block_delta", index: 0, text: "lo" },
      { type: "block_stop", index: 0 },
      {
        type: "usage",
        usage: {
          inputTokens: 5,
          outputTokens: 9,
          raw: { prompt_eval_count: 5, eval_count: 9 },
        },
      },
      {
        type: "status",
        status: "response_finished",
        stop: { reason: "end", raw: "stop" },
      },
    ]);
  });

  test("L1, F2, F3: is one document a line, whatever the lines end in and begin with", () => {
    const lines = [text("Hel"), text("lo"), end()].map((payload) => JSON.stringify(payload));
    const expected = decode(text("Hel"), text("lo"), end());
    for (const lineEnd of ["\n", "\r\n", "\r", "\n\n", " \n"]) {
      expect(decodeText(`\uFEFF${lines.join(lineEnd)}${lineEnd}`)).toEqual(expected);
    }
  });

  test("F10: needs no line end after its last line", () => {
    expect(toOutcome(decodeText(JSON.stringify(end())))).toMatchObject({ outcome: "ok" });
  });

  test("F5, F9: lines that are no documents are passed over", () => {
    const lines = [": keep-alive", text("x"), "[DONE]", "null", end(), "[DONE]", text("y")];
    expect(decode(...lines)).toEqual(decode(text("x"), end()));
  });

  test("F12: fields and lines that are newer than this code are passed over", () => {
    const progress = { status: "loading", detail: { x: 1 }, done: false };
    const marked = line({ content: "x", mood: "good" }, { remote_model: "r", logprobs: [] });
    expect(toOutcome(decode(progress, marked, end()))).toMatchObject({ outcome: "ok", text: "x" });
  });

  test("F4: a line that is no JSON breaks the answer: something is missing", () => {
    const events = decode(text("x"), '{"model":"m","mess', end());
    expect(toOutcome(events)).toMatchObject({ outcome: "incomplete", error: { retryable: true } });
  });

  test("L5, F6: without done: true the open block is aborted and the answer is an error", () => {
    const events = decode(text("x"));
    expect(events.slice(-2)).toMatchObject([
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "protocol", retryable: true } },
    ]);
    expect(toOutcome(decode()).outcome).toBe("incomplete");
  });

  test("L4: an error line ends the answer, whatever comes after", () => {
    const events = decode(text("x"), { error: "the runner has terminated" }, end());
    expect(events.slice(-2)).toEqual([
      { type: "block_abort", index: 0, reason: "the runner has terminated" },
      {
        type: "error",
        error: { code: "server", message: "the runner has terminated", retryable: true },
      },
    ]);
  });

  test("values of wrong types say nothing", () => {
    const wrong = line({ content: 3, thinking: {}, tool_calls: "x" }, { model: 7 });
    const events = decode(wrong, line({ tool_calls: {} }), { message: [] });
    expect(events).toMatchObject([{ status: "response_started" }, { type: "error" }]);
    expect(decode(end(7, { prompt_eval_count: "5", eval_count: null }))).toMatchObject([
      {},
      { usage: { inputTokens: undefined, outputTokens: undefined } },
      { stop: { reason: "none" } },
    ]);
  });
});

describe("thinking", () => {
  test("L7: is a block of its own, labelled for its way back", () => {
    const events = decode(thinking("h"), thinking("m"), text("x"), end());
    expect(toOutcome(events)).toMatchObject({ reasoning: "hm", text: "x" });
    expect(events).toContainEqual({
      type: "block_stop",
      index: 0,
      providerData: { scheme: "ollama", model: "test-model", data: { type: "thinking" } },
    });
  });

  test("between texts keeps its place", () => {
    const events = decode(text("a"), thinking("hm"), text("b"), end());
    expect(toOutcome(events).parts).toEqual(["text", "reasoning", "text"]);
  });

  test("comes before the text and the calls of its own line", () => {
    const call = { function: { name: "add", arguments: {} } };
    const all = line({ content: "x", thinking: "hm", tool_calls: [call] }, { done: true });
    expect(toOutcome(decode(all)).parts).toEqual(["reasoning", "text", "tool_call"]);
  });
});

describe("tool calls", () => {
  test("L2: come whole, and end the block before them", () => {
    const events = decode(text("x"), calling("add", { a: 1 }, "call_1"), end());
    expect(events.slice(3, 7)).toEqual([
      { type: "block_stop", index: 0 },
      { type: "block_start", index: 1, kind: "tool_use", callId: "call_1", name: "add" },
      { type: "block_delta", index: 1, text: '{"a":1}' },
      { type: "block_stop", index: 1 },
    ]);
  });

  test("L2: get ids where the server gave none, the same for the same bytes", () => {
    const lines = [calling("add", { a: 1 }), calling("add", { a: 1 }), end()];
    const ids = toOutcome(decode(...lines)).toolCalls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^call_[0-9a-f]{32}$/);
    expect(toOutcome(decode(...lines)).toolCalls.map(({ id }) => id)).toEqual(ids);
    const later = { ...calling("add", { a: 1 }), created_at: "2026-11-29T10:00:01Z" };
    expect(ids).not.toContain(toOutcome(decode(later, end())).toolCalls[0]?.id);
  });

  test("L3: of the same tool are told apart, in one line and in several", () => {
    const both = line({
      tool_calls: [
        { function: { name: "add", arguments: { a: 1 } } },
        { function: { name: "add", arguments: { a: 2 } } },
      ],
    });
    const expected = [{ arguments: { a: 1 } }, { arguments: { a: 2 } }];
    expect(toOutcome(decode(both, end())).toolCalls).toMatchObject(expected);
    const several = decode(calling("add", { a: 1 }), calling("add", { a: 2 }), end());
    expect(toOutcome(several).toolCalls).toMatchObject(expected);
  });

  test("L10: may have their arguments as text, or none", () => {
    const events = decode(calling("add", '{"a": 1.0}'), calling("now", null), end());
    expect(events.flatMap((event) => (event.type === "block_delta" ? [event.text] : []))).toEqual([
      '{"a": 1.0}',
    ]);
    expect(toOutcome(events).toolCalls).toMatchObject([
      { arguments: { a: 1 } },
      { name: "now", arguments: {} },
    ]);
  });
});

test.each<[string, string]>([
  ["that is none", "null"],
  ["without a function", '{"id":"call_1"}'],
  [
    "whose arguments are nested beyond reason",
    `{"function":{"name":"add","arguments":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`,
  ],
])("a tool call %s breaks the answer: something is missing", (_name, json) => {
  const events = decode(text("x"), `{"message":{"tool_calls":[${json}]}}`, end());
  expect(toOutcome(events)).toMatchObject({ outcome: "incomplete", text: "x", toolCalls: [] });
});

describe("L8: stop reasons", () => {
  test.each([
    ["stop", "end"],
    ["length", "max_tokens"],
    ["load", "load"],
    ["unload", "load"],
    ["brand_new", "other"],
    ["constructor", "other"],
    ["", "none"],
    [null, "none"],
  ])("%j is %s", (raw, reason) => {
    expect(toOutcome(decode(text("x"), end(raw))).stopReason).toBe(reason);
  });

  test.each([
    ["stop", "tool_use"],
    [null, "tool_use"],
    ["length", "max_tokens"],
  ])("%j with a tool call in the turn is %s", (raw, reason) => {
    expect(toOutcome(decode(calling("add"), end(raw))).stopReason).toBe(reason);
  });
});

test("usage has durations too, and no input count where the prompt was cached", () => {
  const last = { ...line({}), done: true, eval_count: 9, total_duration: 77 };
  expect(decode(last)).toContainEqual({
    type: "usage",
    usage: {
      inputTokens: undefined,
      outputTokens: 9,
      raw: { eval_count: 9, total_duration: 77 },
    },
  });
});

describe("an answer that is one document", () => {
  test("gives the events that the stream would have given", () => {
    const call = { id: "call_1", function: { name: "add", arguments: { a: 1 } } };
    const body = line(
      { thinking: "hm", content: "Hello", tool_calls: [call] },
      { done: true, done_reason: "stop", prompt_eval_count: 5, eval_count: 9 },
    );
    const streamed = decode(
      thinking("hm"),
      text("Hello"),
      calling("add", { a: 1 }, "call_1"),
      end(),
    );
    expect(decodeDocument(scheme, JSON.stringify(body))).toEqual(streamed);
  });

  test("F14: is an error if it holds one", () => {
    expect(decodeDocument(scheme, '{"error":"busy"}')).toMatchObject([
      { type: "error", error: { code: "server", message: "busy" } },
    ]);
  });

  test("F6: is incomplete if it does not say that it is done", () => {
    expect(toOutcome(decodeDocument(scheme, JSON.stringify(text("x"))))).toMatchObject({
      outcome: "incomplete",
      text: "x",
    });
  });

  test.each(["", "[]", "null", "{}", '{"choices":[]}', '{"response":"x","done":true}'])(
    "is a protocol error if it is %j",
    (body) => {
      expect(decodeDocument(scheme, body)).toMatchObject([
        { type: "error", error: { code: "protocol" } },
      ]);
    },
  );
});
