import { decodeDocument, sseEvent, toOutcome } from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { decode, decodePayloads, scheme } from "../test/decode.js";

const start = {
  type: "message_start",
  message: { id: "msg_1", model: "claude-x", usage: { input_tokens: 3, output_tokens: 1 } },
};
const textStart = (index = 0): unknown => block(index, { type: "text", text: "" });
const block = (index: number, content_block: unknown): unknown => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, type: string, fields: object): unknown => ({
  type: "content_block_delta",
  index,
  delta: { type, ...fields },
});
const text = (words: string, index = 0): unknown => delta(index, "text_delta", { text: words });
const stop = (index = 0): unknown => ({ type: "content_block_stop", index });
const end = (stop_reason: string | null, usage: object = { output_tokens: 9 }): unknown[] => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
const hello = [textStart(), text("Hel"), text("lo"), stop()];
const toolUse = { type: "tool_use", id: "toolu_1", name: "add", input: {} };

function stopEvents(events: readonly Event[]): unknown[] {
  return events.filter(({ type }) => type === "block_stop");
}

test("a turn becomes status, usage, blocks and an end, in the order of the wire", () => {
  expect(decodePayloads([start, { type: "ping" }, ...hello, ...end("end_turn")])).toEqual([
    { type: "status", status: "response_started", responseId: "msg_1", model: "claude-x" },
    { type: "usage", usage: expect.objectContaining({ inputTokens: 3, outputTokens: 1 }) },
    { type: "ping" },
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text: "Hel" },
    { type: "block_delta", index: 0, text: "lo" },
    { type: "block_stop", index: 0 },
    { type: "usage", usage: expect.objectContaining({ inputTokens: 3, outputTokens: 9 }) },
    { type: "status", status: "response_finished", stop: { reason: "end", raw: "end_turn" } },
  ]);
});

describe("what may go wrong in a stream", () => {
  test("F6: without message_stop the open blocks are aborted and the answer is an error", () => {
    const events = decodePayloads([start, textStart(), text("Hel")]);
    expect(events.slice(-2)).toMatchObject([
      { type: "block_abort", index: 0 },
      { type: "error", error: { code: "protocol", retryable: true } },
    ]);
  });

  test("F6: an end before anything has begun is no empty answer", () => {
    const events = decodePayloads([...end("end_turn"), start, ...hello]);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { code: "protocol" } });
  });

  test("an event without an index is about the first block", () => {
    const bare = hello.map((event) => ({ ...(event as object), index: undefined }));
    expect(decodePayloads([start, ...bare, ...end("end_turn")])).toEqual(
      decodePayloads([start, ...hello, ...end("end_turn")]),
    );
  });

  test.each([null, {}, { type: null, text: "a" }, { type: "" }])(
    "a block that is %j breaks the answer: it could not be sent back",
    (content_block) => {
      const events = [start, ...hello, block(1, content_block), stop(1), ...end("end_turn")];
      const outcome = toOutcome(decodePayloads(events));
      expect(outcome).toMatchObject({ outcome: "incomplete", text: "Hello", parts: ["text"] });
    },
  );

  test("F9: [DONE] and words that are no JSON are passed over", () => {
    const events = decodePayloads([start, "keep-alive", ...hello, ...end("end_turn"), "[DONE]"]);
    expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
  });

  test("F3: white space before the JSON of an event changes nothing", () => {
    const payloads = [start, ...hello, ...end("end_turn")].map(
      (one) => ` \t${JSON.stringify(one)}`,
    );
    expect(toOutcome(decodePayloads(payloads))).toMatchObject({ outcome: "ok", text: "Hello" });
  });

  test("F12: new event types, delta types and fields are passed over", () => {
    const events = decodePayloads([
      { type: "weather_report", sun: true },
      start,
      textStart(),
      text("Hello"),
      delta(0, "colour_delta", { colour: "red" }),
      stop(),
      ...end("end_turn"),
    ]);
    expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
  });

  test("an event that is not JSON breaks the answer: something is missing", () => {
    const broken = 'data: {"type":"content_block_delta","index":0,"del\n\n';
    const whole = [start, ...hello, ...end("end_turn")].map(sseEvent);
    whole.splice(2, 0, broken);
    expect(toOutcome(decode([Buffer.from(whole.join(""))])).outcome).toBe("incomplete");
  });

  test("a delta for a block that is not open breaks the answer", () => {
    expect(toOutcome(decodePayloads([start, text("x"), ...end("end_turn")])).outcome).toBe(
      "incomplete",
    );
  });

  test("a block whose stop was left out ends with the next start or with the message", () => {
    const payloads = [start, textStart(), text("a"), textStart(), text("b"), ...end("end_turn")];
    expect(toOutcome(decodePayloads(payloads))).toMatchObject({ outcome: "ok", text: "ab" });
  });

  test.each([
    ["overloaded_error", "overloaded", true],
    ["api_error", "server", true],
    ["rate_limit_error", "rate_limited", true],
    ["timeout_error", "timeout", true],
    ["invalid_request_error", "invalid_request", false],
    ["brand_new_error", "server", true],
  ])("A18: an error event of type %s is %s", (type, code, retryable) => {
    const error = { type: "error", error: { type, message: "sorry" } };
    const events = decodePayloads([start, textStart(), text("x"), error, ...end("end_turn")]);
    expect(events.slice(-2)).toEqual([
      { type: "block_abort", index: 0, reason: "sorry" },
      { type: "error", error: { code, message: "sorry", retryable, providerType: type } },
    ]);
  });

  test("an error that does not say that it is an event is one", () => {
    const error = { error: { type: "overloaded_error", message: "sorry" } };
    const { outcome, error: told } = toOutcome(decodePayloads([start, ...hello, error]));
    expect({ outcome, told }).toMatchObject({
      outcome: "error_midstream",
      told: { code: "overloaded" },
    });
  });

  test("A24: a second start is passed over before content; after it, only the second answer counts", () => {
    expect(decodePayloads([start, start, ...hello, ...end("end_turn")])).toEqual(
      decodePayloads([start, ...hello, ...end("end_turn")]),
    );
    const spliced = decodePayloads([
      start,
      textStart(),
      text("fir"),
      start,
      ...hello,
      ...end("end_turn"),
    ]);
    expect(spliced).toContainEqual({ type: "status", status: "response_restarted" });
    expect(toOutcome(spliced)).toEqual(
      toOutcome(decodePayloads([start, ...hello, ...end("end_turn")])),
    );
  });
});

describe("thinking", () => {
  test("A7: the signature is set, not appended, and comes with the stop", () => {
    const events = decodePayloads([
      start,
      block(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, "thinking_delta", { thinking: "hm" }),
      delta(0, "signature_delta", { signature: "first" }),
      delta(0, "signature_delta", { signature: "c2ln" }),
      stop(),
      ...end("end_turn"),
    ]);
    expect(toOutcome(events).reasoning).toBe("hm");
    expect(stopEvents(events)).toEqual([
      {
        type: "block_stop",
        index: 0,
        providerData: {
          scheme: "anthropic",
          model: "claude-test",
          data: { type: "thinking", signature: "c2ln" },
        },
      },
    ]);
  });

  test("A5: redacted thinking has no text but is kept", () => {
    const redacted = { type: "redacted_thinking", data: "EqkE" };
    const events = decodePayloads([start, block(0, redacted), stop(), ...end("end_turn")]);
    expect(toOutcome(events).parts).toEqual(["reasoning"]);
    expect(stopEvents(events)).toMatchObject([{ providerData: { data: redacted } }]);
  });

  test("A6: thinking without a signature has nothing to send back", () => {
    const thinking = block(0, { type: "thinking", thinking: "hm" });
    const events = decodePayloads([start, thinking, stop(), ...end("end_turn")]);
    expect(stopEvents(events)).toEqual([{ type: "block_stop", index: 0 }]);
  });
});

describe("tool calls", () => {
  test("A16: arguments are passed on as they come, as one raw text", () => {
    const events = decodePayloads([
      start,
      block(0, toolUse),
      delta(0, "input_json_delta", { partial_json: "" }),
      delta(0, "input_json_delta", { partial_json: '{"a": 1' }),
      delta(0, "input_json_delta", { partial_json: ".0}" }),
      stop(),
      ...end("tool_use"),
    ]);
    const deltas = events.flatMap((event) => (event.type === "block_delta" ? [event.text] : []));
    expect(deltas).toEqual(['{"a": 1', ".0}"]);
    expect(toOutcome(events).toolCalls).toEqual([
      { id: "toolu_1", name: "add", arguments: { a: 1 } },
    ]);
  });

  test("A17: without arguments there is no delta", () => {
    const empty = delta(0, "input_json_delta", { partial_json: "" });
    const events = decodePayloads([start, block(0, toolUse), empty, stop(), ...end("tool_use")]);
    expect(events.filter(({ type }) => type === "block_delta")).toEqual([]);
    expect(toOutcome(events).stopReason).toBe("tool_use");
  });

  test.each([
    [{ a: 1 }, { a: 1 }],
    ['{"a":1}', { a: 1 }],
    [[1], [1]],
    [7, 7],
    [[], {}],
    ["", {}],
    [null, {}],
  ])("arguments %j in the start, as compatible servers send them, are %j", (input, expected) => {
    const events = [start, block(0, { ...toolUse, input }), stop(), ...end("tool_use")];
    const { toolCalls } = toOutcome(decodePayloads(events));
    expect(toolCalls).toMatchObject([{ arguments: expected }]);
  });

  test("a caller that is not the model itself is kept for replay", () => {
    const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
    const called = [start, block(0, { ...toolUse, caller }), stop(), ...end("tool_use")];
    expect(stopEvents(decodePayloads(called))).toMatchObject([
      { providerData: { data: { type: "tool_use", caller } } },
    ]);
    const direct = block(0, { ...toolUse, caller: { type: "direct" } });
    expect(stopEvents(decodePayloads([start, direct, stop(), ...end("tool_use")]))).toEqual([
      { type: "block_stop", index: 0 },
    ]);
  });
});

describe("blocks that only the server understands", () => {
  test("A20: a server tool's call is kept whole, with its input, and is no tool call", () => {
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const events = decodePayloads([
      start,
      block(0, use),
      delta(0, "input_json_delta", { partial_json: '{"query":' }),
      delta(0, "input_json_delta", { partial_json: '"x"}' }),
      stop(),
      ...end("end_turn"),
    ]);
    expect(toOutcome(events)).toMatchObject({ toolCalls: [], stopReason: "end", parts: ["other"] });
    expect(stopEvents(events)).toMatchObject([
      { providerData: { data: { ...use, input: { query: "x" } } } },
    ]);
  });

  test("F12: an unknown block grows by its deltas and is kept", () => {
    const events = decodePayloads([
      start,
      block(0, { type: "compaction", content: null }),
      delta(0, "compaction_delta", { content: "sum" }),
      delta(0, "compaction_delta", { content: "mary" }),
      stop(),
      ...end("end_turn"),
    ]);
    expect(stopEvents(events)).toMatchObject([
      { providerData: { data: { type: "compaction", content: "summary" } } },
    ]);
  });

  test("citations of a text are kept with it", () => {
    const citation = { type: "char_location", cited_text: "x" };
    const cited = delta(0, "citations_delta", { citation });
    const events = decodePayloads([
      start,
      textStart(),
      text("a"),
      cited,
      stop(),
      ...end("end_turn"),
    ]);
    expect(stopEvents(events)).toMatchObject([
      { providerData: { data: { type: "text", citations: [citation] } } },
    ]);
  });
});

describe("usage", () => {
  test("A13: later totals replace earlier ones, null leaves them", () => {
    const later = { output_tokens: 9, input_tokens: null, cache_read_input_tokens: 5 };
    const events = decodePayloads([start, ...hello, ...end("end_turn", later)]);
    expect(toOutcome(events).usage).toMatchObject({ inputTotal: 8, cacheRead: 5, outputTotal: 9 });
  });

  test("A14: a gateway that reports only at the end is believed", () => {
    const zeros = {
      type: "message_start",
      message: { usage: { input_tokens: 0, output_tokens: 0 } },
    };
    const real = { input_tokens: 40, output_tokens: 2, cache_read_input_tokens: 60 };
    const events = decodePayloads([zeros, ...hello, ...end("end_turn", real)]);
    expect(toOutcome(events).usage).toMatchObject({ inputTotal: 100, cacheRead: 60 });
    const silent = decodePayloads([{ type: "message_start", message: {} }, ...hello, ...end(null)]);
    expect(toOutcome(silent).usage).toMatchObject({ inputTotal: null, outputTotal: 9 });
  });

  test("A15: all input is what was read, written and neither; thinking is told apart", () => {
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 300,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 4 },
    };
    const events = decodePayloads([start, ...hello, ...end("end_turn", usage)]);
    expect(toOutcome(events).usage).toEqual({
      inputTotal: 321,
      cacheRead: 300,
      cacheWrite: 20,
      outputTotal: 7,
      reasoning: 4,
    });
  });
});

describe("A23: stop reasons", () => {
  test.each([
    ["end_turn", "end"],
    ["max_tokens", "max_tokens"],
    ["stop_sequence", "stop_sequence"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context_window"],
    ["compaction", "other"],
    ["brand_new", "other"],
    [null, "none"],
  ])("%s is %s", (raw, reason) => {
    expect(toOutcome(decodePayloads([start, ...hello, ...end(raw)])).stopReason).toBe(reason);
  });

  test.each([
    ["end_turn", "tool_use"],
    ["tool_use", "tool_use"],
    [null, "tool_use"],
    ["max_tokens", "max_tokens"],
    ["pause_turn", "pause"],
  ])("%s with a tool call in the turn is %s", (raw, reason) => {
    const events = decodePayloads([start, block(0, toolUse), stop(), ...end(raw)]);
    expect(toOutcome(events).stopReason).toBe(reason);
  });

  test("a refusal brings its details, a stop sequence its text", () => {
    const details = { type: "refusal", category: "x", explanation: "y" };
    const message_delta = { stop_reason: "refusal", stop_details: details };
    const events = decodePayloads([
      start,
      { type: "message_delta", delta: message_delta },
      ...end(null),
    ]);
    expect(events.at(-1)).toMatchObject({ stop: { reason: "refusal", detail: details } });
    const met = {
      type: "message_delta",
      delta: { stop_reason: "stop_sequence", stop_sequence: "###" },
    };
    expect(decodePayloads([start, met, { type: "message_stop" }]).at(-1)).toMatchObject({
      stop: { reason: "stop_sequence", sequence: "###" },
    });
  });

  test("A25: a turn may end without content", () => {
    expect(toOutcome(decodePayloads([start, ...end("end_turn")]))).toMatchObject({
      outcome: "ok",
      text: "",
      parts: [],
    });
  });
});

describe("an answer that is one document", () => {
  const message = {
    id: "msg_1",
    type: "message",
    model: "claude-x",
    content: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "text", text: "Hello" },
      { ...toolUse, input: { a: 1 } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 3, output_tokens: 9 },
  };
  const parse = (body: string): readonly Event[] => decodeDocument(scheme, body);

  test("gives the events that the stream would have given", () => {
    const events = parse(JSON.stringify(message));
    const streamed = decodePayloads([
      { ...start, message: { ...start.message, usage: undefined } },
      block(0, { type: "thinking", thinking: "" }),
      delta(0, "thinking_delta", { thinking: "hm" }),
      delta(0, "signature_delta", { signature: "c2ln" }),
      stop(0),
      textStart(1),
      text("Hello", 1),
      stop(1),
      block(2, toolUse),
      delta(2, "input_json_delta", { partial_json: '{"a":1}' }),
      stop(2),
      ...end("tool_use", message.usage),
    ]);
    expect(events).toEqual(streamed);
  });

  test("F14: is an error if it holds one", () => {
    const body = JSON.stringify({
      type: "error",
      error: { type: "overloaded_error", message: "x" },
    });
    expect(parse(body)).toMatchObject([{ type: "error", error: { code: "overloaded" } }]);
  });

  test("ends with the error if a block of it cannot be read", () => {
    const content = [{ type: "text", text: "a" }, null, { type: "text", text: "b" }];
    const outcome = toOutcome(parse(JSON.stringify({ content, stop_reason: "end_turn" })));
    expect(outcome).toMatchObject({ outcome: "incomplete", text: "a" });
  });

  test.each(["", "[]", "null", "{}", '{"choices":[]}'])(
    "is a protocol error if it is %j",
    (body) => {
      expect(parse(body)).toMatchObject([{ type: "error", error: { code: "protocol" } }]);
    },
  );
});
