import {
  decodeDocument,
  decodePayloads,
  decodeStream,
  type Json,
  toOutcome,
} from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { OpenAIChatScheme } from "./scheme.js";

const scheme = new OpenAIChatScheme({ model: "gpt-test" });
const decode = (...payloads: readonly unknown[]): readonly Event[] =>
  decodePayloads(scheme, payloads);
const outcomeOf = (...payloads: readonly unknown[]): ReturnType<typeof toOutcome> =>
  toOutcome(decode(...payloads));

const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "gpt-x",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const text = (content: string): Json => chunk({ content });
const end = (reason = "stop"): Json => chunk({}, reason);
const call = (fields: Json): Json => chunk({ tool_calls: [fields] });
const usageChunk = (usage: Json): Json => ({ id: "chatcmpl-1", choices: [], usage });
const add = (fields: Json): Json => ({
  type: "function",
  ...fields,
  function: { name: "add", arguments: "", ...(fields["function"] as Json | undefined) },
});
const DONE = "[DONE]";

function stopEvents(events: readonly Event[]): unknown[] {
  return events.filter(({ type }) => type === "block_stop");
}

test("a turn becomes status, blocks, usage and an end", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 };
  const events = decode(
    chunk({ role: "assistant", content: "" }),
    text("Hel"),
    text("lo"),
    end(),
    usageChunk(usage),
    DONE,
  );
  expect(events).toEqual([
    { type: "status", status: "response_started", responseId: "chatcmpl-1", model: "gpt-x" },
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text: "Hel" },
    { type: "block_delta", index: 0, text: "lo" },
    { type: "usage", usage: expect.objectContaining({ inputTokens: 3, outputTokens: 9 }) },
    { type: "block_stop", index: 0 },
    { type: "status", status: "response_finished", stop: { reason: "end", raw: "stop" } },
  ]);
});

describe("the end of a stream", () => {
  test("F6: without a mark is a cut, and nothing of a call is to be run", () => {
    expect(outcomeOf(text("Hel"))).toMatchObject({ outcome: "incomplete", text: "Hel" });
    const cut = outcomeOf(call(add({ index: 0, id: "call_1", function: { arguments: "{" } })));
    expect(cut).toMatchObject({ outcome: "incomplete", toolCalls: [] });
    expect(cut.error).toMatchObject({ code: "protocol", retryable: true });
  });

  test("F7: may be [DONE] without a reason", () => {
    expect(outcomeOf(text("Hello"), DONE)).toMatchObject({ outcome: "ok", stopReason: "none" });
    const fragment = add({ index: 0, id: "call_1" });
    expect(outcomeOf(call(fragment), DONE).stopReason).toBe("tool_use");
  });

  test("F8: may be a reason without [DONE]", () => {
    expect(outcomeOf(text("Hello"), end())).toMatchObject({ outcome: "ok", stopReason: "end" });
  });

  test("F8: is not waited for once the reason and the usage are there", () => {
    const state = scheme.createState();
    const events: Event[] = [];
    for (const payload of [text("a"), end(), usageChunk({ prompt_tokens: 1 })]) {
      scheme.parseEvent({ data: JSON.stringify(payload) }, state, events);
    }
    expect(events.at(-1)).toMatchObject({ status: "response_finished" });
  });

  test("is no usage that comes before the reason, or beside it", () => {
    const usage = { prompt_tokens: 1 };
    expect(outcomeOf(text("a"), usageChunk(usage), text("b"), end(), DONE).text).toBe("ab");
    const late = outcomeOf(chunk({}, "stop", { usage }), { error: { message: "sorry" } });
    expect(late).toMatchObject({ outcome: "error_midstream", usage: { inputTotal: 1 } });
  });

  test("of a stream in which nothing came is an error", () => {
    expect(outcomeOf(DONE).outcome).toBe("incomplete");
    expect(outcomeOf().outcome).toBe("incomplete");
  });

  test("F9: and what comes after it is passed over", () => {
    expect(outcomeOf(text("a"), end(), DONE, DONE, text("b"))).toMatchObject({
      outcome: "ok",
      text: "a",
    });
  });
});

describe("what may stand in a stream", () => {
  test("F5: comments and keep-alives", () => {
    const stream = [": PROCESSING\n\n", "data: keep-alive\n\n"];
    const payloads = [text("Hello"), end(), DONE];
    for (const payload of payloads) {
      const data = typeof payload === "string" ? payload : JSON.stringify(payload);
      stream.push(`data: ${data}\n\n`, ": PROCESSING\n\n");
    }
    expect(toOutcome(decodeStream(scheme, [Buffer.from(stream.join(""))]))).toMatchObject({
      outcome: "ok",
      text: "Hello",
    });
  });

  test("F12: fields, chunks and reasons that are new", () => {
    expect(
      outcomeOf(
        { object: "weather", sun: true },
        chunk({ content: "Hello", colour: "red" }, null, { p: "xyz" }),
        end("brand_new"),
      ),
    ).toMatchObject({ outcome: "ok", text: "Hello", stopReason: "other" });
  });

  test("an event that is not JSON breaks the answer: something is missing", () => {
    expect(outcomeOf(text("a"), '{"choices":[{"del', end(), DONE).outcome).toBe("incomplete");
  });

  test("C1: chunks without choices, first and last", () => {
    const first = { id: "", model: "", choices: [], prompt_filter_results: [] };
    const events = decode(first, text("a"), end(), usageChunk({ prompt_tokens: 3 }), DONE);
    expect(events[0]).toMatchObject({ status: "response_started", responseId: "chatcmpl-1" });
    expect(toOutcome(events)).toMatchObject({ outcome: "ok", usage: { inputTotal: 3 } });
  });

  test("C6: an empty reason, which is none", () => {
    expect(outcomeOf(chunk({ content: "a" }, ""), end("length")).stopReason).toBe("max_tokens");
    expect(outcomeOf(chunk({ content: "a" }, "")).outcome).toBe("incomplete");
  });

  test("C17: no role at all, or one in every chunk", () => {
    expect(outcomeOf(text("a"), end()).text).toBe("a");
    const withRole = chunk({ role: "assistant", content: "a" });
    expect(outcomeOf(withRole, withRole, end()).text).toBe("aa");
  });

  test("several candidates, of which the first is read", () => {
    const second = { ...text("b"), choices: [{ index: 1, delta: { content: "b" } }] };
    expect(outcomeOf(text("a"), second, end(), DONE).text).toBe("a");
  });
});

describe("tool calls", () => {
  const one = { id: "call_1", name: "add", arguments: { a: 1 } };

  test("come in pieces, which are passed on as they are", () => {
    const events = decode(
      call(add({ index: 0, id: "call_1" })),
      call({ index: 0, function: { arguments: '{"a": 1' } }),
      call({ index: 0, function: { arguments: ".0}" } }),
      end("tool_calls"),
    );
    const deltas = events.flatMap((event) => (event.type === "block_delta" ? [event.text] : []));
    expect(deltas).toEqual(['{"a": 1', ".0}"]);
    expect(toOutcome(events)).toMatchObject({ toolCalls: [one], stopReason: "tool_use" });
  });

  test("C2: get a stable id where the server gives none, and the server's where it comes late", () => {
    const payloads = [
      call(add({ index: 0, function: { arguments: "{}" } })),
      call(add({ index: 1, function: { arguments: "{}" } })),
      end(),
    ];
    const ids = outcomeOf(...payloads).toolCalls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(outcomeOf(...payloads).toolCalls.map(({ id }) => id)).toEqual(ids);
    const late = call({ index: 0, id: "call_late" });
    const late2 = call({ index: 1, id: "call_late_2" });
    expect(
      outcomeOf(...payloads.slice(0, 2), late2, late, end()).toolCalls.map(({ id }) => id),
    ).toEqual(["call_late_2", "call_late"]);
  });

  test("C3: may lack the index: a new id is a new call, no id continues the last one", () => {
    expect(
      outcomeOf(
        call(add({ id: "call_1", function: { arguments: '{"a"' } })),
        call({ function: { arguments: ":1}" } }),
        call(add({ id: "call_2", function: { arguments: "{}" } })),
        call({ id: "call_1", function: { arguments: " " } }),
        end(),
      ).toolCalls,
    ).toEqual([one, { id: "call_2", name: "add", arguments: {} }]);
  });

  test("C3: without index and id, a second name is a second call", () => {
    const whole = call(add({ function: { arguments: '{"a":1}' } }));
    const { toolCalls } = outcomeOf(whole, whole, end());
    expect(toolCalls.map(({ arguments: value }) => value)).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test("C4: are told apart by their index alone when their pieces are mixed", () => {
    expect(
      outcomeOf(
        call(add({ index: 0, id: "call_1" })),
        call(add({ index: 1, id: "call_2" })),
        call({ index: 0, function: { arguments: '{"a":' } }),
        call({ index: 1, function: { arguments: '{"a":' } }),
        call({ index: 0, function: { arguments: "1}" } }),
        call({ index: 1, function: { arguments: "2}" } }),
        end("tool_calls"),
      ).toolCalls,
    ).toEqual([one, { id: "call_2", name: "add", arguments: { a: 2 } }]);
  });

  test("of another id and name under the same index are other calls", () => {
    const whole = (id: string): Json =>
      call(add({ index: 0, id, function: { arguments: '{"a":1}' } }));
    expect(outcomeOf(whole("call_1"), whole("call_2"), end()).toolCalls).toEqual([
      one,
      { ...one, id: "call_2" },
    ]);
  });

  test.each([{ id: "call_1" }, { index: 0 }, { index: 0, id: "call_1" }])(
    "of another name are other calls, although each has %j",
    (place) => {
      const whole = (name: string): Json =>
        call({ ...place, type: "function", function: { name, arguments: '{"a":1}' } });
      const { toolCalls } = outcomeOf(whole("add"), whole("take"), end());
      expect(toolCalls.map(({ name, arguments: value }) => [name, value])).toEqual([
        ["add", { a: 1 }],
        ["take", { a: 1 }],
      ]);
    },
  );

  test("C5: make a turn of tool use, whatever the server says, unless it was cut", () => {
    const fragment = call(add({ index: 0, id: "call_1" }));
    expect(outcomeOf(fragment, end("stop")).stopReason).toBe("tool_use");
    expect(outcomeOf(fragment, end("content_filter")).stopReason).toBe("content_filter");
  });

  test("C9: without arguments have none", () => {
    expect(outcomeOf(call(add({ index: 0, id: "call_1" })), end()).toolCalls).toEqual([
      { id: "call_1", name: "add", arguments: {} },
    ]);
  });

  test("C11: that the limit cut are told by the reason, not hidden", () => {
    expect(
      outcomeOf(
        call(add({ index: 0, id: "call_1", function: { arguments: '{"a":' } })),
        end("length"),
      ),
    ).toMatchObject({
      stopReason: "max_tokens",
      toolCalls: [{ arguments: { $unparsed: '{"a":' } }],
    });
  });

  test("C18: whose arguments are no JSON are kept as they are, with the rest of the turn", () => {
    expect(
      outcomeOf(
        call(add({ index: 0, id: "call_1", function: { arguments: "{a: 1}" } })),
        end("tool_calls"),
        usageChunk({ prompt_tokens: 5 }),
        DONE,
      ),
    ).toMatchObject({
      outcome: "ok",
      toolCalls: [{ arguments: { $unparsed: "{a: 1}" } }],
      usage: { inputTotal: 5 },
    });
  });

  test.each([
    [{ a: 1 }, { a: 1 }],
    [[1], [1]],
    [7, 7],
    [[], {}],
    [null, {}],
  ])("may have %j as their arguments, which is %j", (value, expected) => {
    const fragment = add({ index: 0, id: "call_1", function: { arguments: value } });
    const { toolCalls } = outcomeOf(call(fragment), end());
    expect(toolCalls).toEqual([{ ...one, arguments: expected }]);
  });

  test("may begin with empty arguments of another kind than those that follow", () => {
    const begin = add({ index: 0, id: "call_1", function: { arguments: {} } });
    const rest = { index: 0, function: { arguments: '{"a":1}' } };
    expect(outcomeOf(call(begin), call(rest), end()).toolCalls).toEqual([one]);
  });

  test("keep what the server wants back with them", () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const events = decode(call({ ...add({ index: 0, id: "call_1" }), extra_content }), end());
    expect(stopEvents(events)).toMatchObject([
      { providerData: { scheme: "openai-chat", data: { type: "tool_call", extra_content } } },
    ]);
  });
});

describe("C7: reasoning", () => {
  test.each(["reasoning_content", "reasoning"])("may stand in %s", (field) => {
    const events = decode(chunk({ [field]: "hm" }), chunk({ [field]: ", so" }), text("a"), end());
    expect(toOutcome(events)).toMatchObject({
      reasoning: "hm, so",
      text: "a",
      parts: ["reasoning", "text"],
    });
    expect(stopEvents(events)[0]).toMatchObject({
      providerData: { model: "gpt-test", data: { type: "reasoning", field } },
    });
  });

  test("that stands in two fields is read once", () => {
    const both = chunk({ reasoning_content: "hm", reasoning: "hm" });
    expect(outcomeOf(both, end()).reasoning).toBe("hm");
  });

  test("may stand in a list of details, whose pieces are joined and kept", () => {
    const detail = (fields: Json): Json =>
      chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, ...fields }] });
    const events = decode(
      detail({ text: "h", format: "x" }),
      detail({ text: "m" }),
      detail({ signature: "c2ln", text: null }),
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "abc" }] }),
      text("a"),
      end(),
    );
    expect(toOutcome(events)).toMatchObject({ reasoning: "hm", parts: ["reasoning", "text"] });
    expect(stopEvents(events)[0]).toMatchObject({
      providerData: {
        data: {
          field: "reasoning_details",
          details: [
            { type: "reasoning.text", index: 0, text: "hm", format: "x", signature: "c2ln" },
            { type: "reasoning.encrypted", index: 1, data: "abc" },
          ],
        },
      },
    });
  });

  test("may be parts of the content", () => {
    const thinking = [{ type: "text", text: "hm" }];
    const events = decode(
      chunk({ content: [{ type: "thinking", thinking }] }),
      chunk({ content: [{ type: "text", text: "a" }] }),
      end(),
    );
    expect(toOutcome(events)).toMatchObject({ reasoning: "hm", text: "a" });
    expect(stopEvents(events)[0]).toMatchObject({ providerData: { data: { field: "content" } } });
  });
});

test("C14: a refusal is told apart from text", () => {
  const outcome = outcomeOf(chunk({ refusal: "I can" }), chunk({ refusal: "not." }), end());
  expect(outcome).toMatchObject({
    text: "",
    refusal: "I cannot.",
    stopReason: "refusal",
    parts: ["refusal"],
  });
});

describe("C15: usage", () => {
  test.each([
    [{ prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 5 } }, { cacheRead: 5 }],
    [{ prompt_tokens: 9, prompt_cache_hit_tokens: 5 }, { cacheRead: 5 }],
    [{ prompt_tokens: 9, prompt_tokens_details: { cache_write_tokens: 4 } }, { cacheWrite: 4 }],
    [{ prompt_tokens: 9 }, { inputTotal: 9, cacheRead: null, outputTotal: null }],
    [
      {
        prompt_tokens: 1,
        completion_tokens: 5,
        total_tokens: 6,
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      { outputTotal: 5, reasoning: 4 },
    ],
    [
      {
        prompt_tokens: 1,
        completion_tokens: 5,
        total_tokens: 10,
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      { outputTotal: 9, reasoning: 4 },
    ],
  ])("%o is %o", (usage, expected) => {
    expect(outcomeOf(text("a"), end(), usageChunk(usage), DONE).usage).toMatchObject(expected);
  });

  test("is the last that was seen, wherever it stands, and never a sum", () => {
    const early = chunk({ content: "a" }, null, { usage: { prompt_tokens: 1 } });
    const last = chunk({}, "stop", { x_groq: { usage: { prompt_tokens: 7 } } });
    expect(outcomeOf(early, early, last, DONE).usage.inputTotal).toBe(7);
  });
});

describe("C16: an error in a stream", () => {
  const error = { error: { message: "sorry", code: 502 } };

  test("ends it, and wins over what stands beside it", () => {
    const beside = chunk({ content: "b" }, "stop", { ...error, usage: { prompt_tokens: 3 } });
    const outcome = outcomeOf(text("a"), end(), beside, DONE);
    expect(outcome).toMatchObject({
      outcome: "error_midstream",
      text: "a",
      usage: { inputTotal: 3 },
      error: { code: "server", message: "sorry", retryable: true },
    });
  });

  test.each([
    ['event: error\ndata: {"error":{"message":"sorry","code":502}}\n\n'],
    ['event: error\ndata: {"message":"sorry"}\n\n'],
    ["event: error\ndata: sorry\n\n"],
    ['data: {"error":"sorry"}\n\n'],
    ['data: {"object":"error","message":"sorry"}\n\n'],
  ])("may be %j", (sse) => {
    const events = decodeStream(scheme, [Buffer.from(sse)]);
    expect(toOutcome(events)).toMatchObject({
      outcome: "error_midstream",
      error: { message: "sorry" },
    });
  });
});

describe("an answer that is one document", () => {
  const message = {
    role: "assistant",
    reasoning_content: "hm",
    content: "Hello",
    tool_calls: [add({ id: "call_1", function: { arguments: '{"a":1}' } })],
  };
  const usage = { prompt_tokens: 3, completion_tokens: 9 };

  test("gives the events that the stream would have given", () => {
    const { choices: _pieces, ...head } = text("");
    const document = {
      ...head,
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage,
    };
    expect(decodeDocument(scheme, JSON.stringify(document))).toEqual(
      decode(
        chunk({ reasoning_content: "hm" }),
        text("Hello"),
        call({ index: 0, ...message.tool_calls[0] }),
        { ...end("tool_calls"), usage },
        DONE,
      ),
    );
  });

  test("F14: is an error if it holds one", () => {
    const body = JSON.stringify({ error: { code: 502, message: "x" }, user_id: "u" });
    expect(decodeDocument(scheme, body)).toMatchObject([
      { type: "error", error: { code: "server", message: "x", retryable: true } },
    ]);
  });

  test.each(["", "[]", "null", "{}", '{"content":[]}', '{"choices":[]}'])(
    "is a protocol error if it is %j",
    (body) => {
      expect(decodeDocument(scheme, body)).toMatchObject([
        { type: "error", error: { code: "protocol" } },
      ]);
    },
  );
});
