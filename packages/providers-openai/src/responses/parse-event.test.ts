import {
  decodeDocument,
  decodePayloads,
  decodeStream,
  type Json,
  toOutcome,
} from "@llm-worker/wire-testing";
import type { Event } from "llm-worker";
import { describe, expect, test } from "vitest";
import { OpenAIResponsesScheme } from "./scheme.js";

const scheme = new OpenAIResponsesScheme({ model: "gpt-test" });
const decode = (...payloads: readonly unknown[]): readonly Event[] =>
  decodePayloads(scheme, payloads);
const outcomeOf = (...payloads: readonly unknown[]): ReturnType<typeof toOutcome> =>
  toOutcome(decode(...payloads));

const head = { id: "resp_1", model: "gpt-x", output: [] };
const created = { type: "response.created", response: { ...head, status: "in_progress" } };
const completed = (more: Json = {}): Json => ({
  type: "response.completed",
  response: { ...head, status: "completed", ...more },
});
const added = (output_index: number, item: Json): Json => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number, item: Json): Json => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const delta = (kind: string, output_index: number, text: string, more: Json = {}): Json => ({
  type: `response.${kind}.delta`,
  output_index,
  delta: text,
  ...more,
});
const text = (words: string, output_index = 0): Json =>
  delta("output_text", output_index, words, { content_index: 0, item_id: "msg_1" });
const message = (words: string, more: Json = {}): Json => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text: words, annotations: [] }],
  ...more,
});
const emptyMessage = message("", { content: [] });
const hello = [added(0, emptyMessage), text("Hel"), text("lo"), done(0, message("Hello"))];
const call: Json = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "add",
  arguments: "",
};
const reasoning: Json = { type: "reasoning", id: "rs_1", summary: [] };

function dataOf(events: readonly Event[]): unknown[] {
  return events.flatMap((event) => (event.type === "block_stop" ? [event.providerData?.data] : []));
}

test("a turn becomes status, blocks, usage and an end", () => {
  const usage = { input_tokens: 3, output_tokens: 9, total_tokens: 12 };
  expect(decode(created, ...hello, completed({ usage }))).toEqual([
    { type: "status", status: "response_started", responseId: "resp_1", model: "gpt-x" },
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text: "Hel" },
    { type: "block_delta", index: 0, text: "lo" },
    {
      type: "block_stop",
      index: 0,
      providerData: {
        scheme: "openai-responses",
        model: "gpt-test",
        data: { type: "message", id: "msg_1" },
      },
    },
    { type: "usage", usage: expect.objectContaining({ inputTokens: 3, outputTokens: 9 }) },
    { type: "status", status: "response_finished", stop: { reason: "end", raw: "completed" } },
  ]);
});

describe("the end of a stream", () => {
  test("F6: without a final event is a cut", () => {
    const cut = outcomeOf(created, ...hello.slice(0, 3));
    expect(cut).toMatchObject({ outcome: "incomplete", text: "Hello" });
    expect(cut.error).toMatchObject({ code: "protocol", retryable: true });
    expect(outcomeOf(created, added(0, call)).toolCalls).toEqual([]);
  });

  test("F7, F9: [DONE] is no mark of this wire, and is passed over", () => {
    expect(outcomeOf(created, ...hello, "[DONE]").outcome).toBe("incomplete");
    expect(outcomeOf(created, ...hello, completed(), "[DONE]").outcome).toBe("ok");
  });

  test.each([
    ["max_output_tokens", "max_tokens"],
    ["content_filter", "content_filter"],
    ["steered", "other"],
  ])("R7: incomplete by %s is %s, also with a call in the turn", (reason, expected) => {
    const response = { ...head, status: "incomplete", incomplete_details: { reason } };
    const incomplete = { type: "response.incomplete", response };
    const events = decode(created, ...hello, incomplete);
    expect(events.at(-1)).toMatchObject({
      stop: { reason: expected, raw: "incomplete", detail: reason },
    });
    expect(outcomeOf(created, added(0, call), incomplete).stopReason).toBe(expected);
  });

  test.each([
    ["rate_limit_exceeded", "rate_limited", true],
    ["insufficient_quota", "permission", false],
    ["server_error", "server", true],
    ["context_length_exceeded", "context_too_long", false],
    ["brand_new", "server", true],
  ])("R7: a failure of %s is an error: %s", (code, expected, retryable) => {
    const error = { code, message: "sorry" };
    const failed = { type: "response.failed", response: { ...head, status: "failed", error } };
    for (const event of [failed, { type: "error", ...error }, { type: "error", error }]) {
      const outcome = outcomeOf(created, ...hello.slice(0, 2), event);
      expect(outcome).toMatchObject({ outcome: "error_midstream", text: "Hel" });
      expect(outcome.error).toMatchObject({
        code: expected,
        message: "sorry",
        retryable,
        providerType: code,
      });
    }
  });

  test("R7: a cancelled response is no success", () => {
    const cancelled = { type: "response.cancelled", response: { ...head, status: "cancelled" } };
    expect(outcomeOf(created, ...hello, cancelled).error).toMatchObject({
      code: "aborted",
      retryable: false,
    });
  });

  test("may come without the end of an item", () => {
    expect(outcomeOf(created, ...hello.slice(0, 3), completed())).toMatchObject({
      outcome: "ok",
      text: "Hello",
    });
    const search = added(0, { type: "web_search_call", id: "ws_1" });
    expect(outcomeOf(created, search, completed())).toMatchObject({ outcome: "ok", parts: [] });
  });

  test("brings the items that were not streamed", () => {
    expect(outcomeOf(created, completed({ output: [message("Hello")] })).text).toBe("Hello");
    const output = [message("Hello"), { ...call, arguments: '{"a":1}' }];
    expect(outcomeOf(created, ...hello, completed({ output }))).toMatchObject({
      text: "Hello",
      toolCalls: [{ id: "call_1", arguments: { a: 1 } }],
      stopReason: "tool_use",
    });
  });

  test("brings no item twice, whatever it says of those that were streamed", () => {
    const other = message("Hello", { id: "msg_other" });
    for (const output of [[other], [reasoning, message("Hello")], [message("Hello"), other]]) {
      const shifted = hello.map((event) => ({ ...event, output_index: 1 }));
      expect(outcomeOf(created, ...shifted, completed({ output })).text).toBe("Hello");
    }
  });
});

describe("what may stand in a stream", () => {
  test("F5, F12, R10: keep-alives, new events, new fields and padding", () => {
    const events = decode(
      { type: "keepalive", sequence_number: 0 },
      created,
      "keep-alive",
      { type: "response.weather.sunny", delta: "x" },
      added(0, emptyMessage),
      delta("output_text", 0, "Hello", { content_index: 0, obfuscation: "x7Gk2" }),
      done(0, message("Hello")),
      completed(),
    );
    expect(toOutcome(events)).toMatchObject({ outcome: "ok", text: "Hello" });
    expect(events[0]).toEqual({ type: "ping" });
  });

  test("an error breaks the answer where it is no part of another event", () => {
    const error = { code: "server_error", message: "sorry" };
    expect(outcomeOf(created, ...hello, { error }, completed())).toMatchObject({
      outcome: "error_midstream",
      error: { message: "sorry" },
    });
    const others = [{ type: "response.mcp_call.failed", error }, { colour: "red" }];
    expect(outcomeOf(created, ...others, ...hello, completed())).toMatchObject({
      outcome: "ok",
      text: "Hello",
    });
  });

  test("an event that is not JSON breaks the answer: something is missing", () => {
    expect(outcomeOf(created, '{"type":"resp', ...hello, completed()).outcome).toBe("incomplete");
  });

  test("events whose type is said by the frame alone", () => {
    const { type: _type, ...payload } = completed();
    const sse = `data: ${JSON.stringify(created)}\n\nevent: response.completed\ndata: ${JSON.stringify(payload)}\n\n`;
    expect(toOutcome(decodeStream(scheme, [Buffer.from(sse)])).outcome).toBe("ok");
  });

  test("items without any index or end of arguments, as llama.cpp sends them", () => {
    const bare = ({ output_index: _index, ...event }: Json): Json => event;
    const events = [
      { type: "response.created", response: { id: "resp_1" } },
      added(0, { ...reasoning, id: "rs_x" }),
      delta("reasoning_text", 0, "hm", { item_id: "rs_x" }),
      done(0, { ...reasoning, id: "rs_x" }),
      added(1, emptyMessage),
      { type: "response.output_text.delta", item_id: "msg_1", delta: "Hello" },
      done(1, message("Hello")),
      added(2, call),
      delta("function_call_arguments", 2, '{"a"', { item_id: "fc_1" }),
      done(2, { ...call, arguments: '{"a":1}' }),
      completed({ output: undefined }),
    ].map(bare);
    expect(outcomeOf(...events)).toMatchObject({
      outcome: "ok",
      reasoning: "hm",
      text: "Hello",
      toolCalls: [{ id: "call_1", name: "add", arguments: { a: 1 } }],
    });
  });

  test("items whose ids change on the way, as GitHub Copilot sends them", () => {
    const rotated = (event: Json, n: number): Json => ({
      ...event,
      item_id: `id_${n}`,
      ...(event["item"] === undefined
        ? {}
        : { item: { ...(event["item"] as Json), id: `id_${n}` } }),
    });
    expect(outcomeOf(created, ...hello.map(rotated), completed())).toMatchObject({
      text: "Hello",
      parts: ["text"],
    });
  });

  test("text where another item stands is a message of its own", () => {
    expect(
      outcomeOf(created, added(0, reasoning), text("a"), text("b"), completed()),
    ).toMatchObject({
      text: "ab",
      parts: ["reasoning", "text"],
    });
  });

  test("a stream that is joined in its middle", () => {
    expect(outcomeOf(text("lo"), done(0, message("Hello")), completed()).text).toBe("lo");
  });

  test("a second beginning: before content it is passed over, after it only the second counts", () => {
    expect(decode(created, created, ...hello, completed())).toEqual(
      decode(created, ...hello, completed()),
    );
    const second = { type: "response.created", response: { ...head, id: "resp_2" } };
    const spliced = decode(
      created,
      added(0, emptyMessage),
      text("fir"),
      second,
      ...hello,
      completed(),
    );
    expect(spliced).toContainEqual({ type: "status", status: "response_restarted" });
    expect(toOutcome(spliced)).toMatchObject({ outcome: "ok", text: "Hello", parts: ["text"] });
    const refused = delta("refusal", 1, "No.", { content_index: 0 });
    const called = [created, added(0, call), refused, second, ...hello, completed()];
    expect(outcomeOf(...called)).toMatchObject({ text: "Hello", stopReason: "end" });
  });
});

describe("messages", () => {
  test("have a block for each part, which knows its message", () => {
    const parts = [
      { type: "output_text", text: "a", annotations: [] },
      { type: "refusal", refusal: "No." },
    ];
    const events = decode(
      created,
      added(0, emptyMessage),
      text("a"),
      delta("refusal", 0, "No.", { content_index: 1 }),
      done(0, message("", { content: parts })),
      completed(),
    );
    expect(toOutcome(events)).toMatchObject({
      text: "a",
      refusal: "No.",
      parts: ["text", "refusal"],
      stopReason: "refusal",
    });
    const data = { type: "message", id: "msg_1" };
    expect(dataOf(events)).toEqual([data, data]);
  });

  test("R11: keep their phase, and their annotations", () => {
    const annotation = { type: "url_citation", url: "https://x.test" };
    const content = [{ type: "output_text", text: "a", annotations: [annotation] }];
    const item = message("", { content, phase: "commentary" });
    const events = decode(created, added(0, emptyMessage), text("a"), done(0, item), completed());
    expect(dataOf(events)).toEqual([
      { type: "message", id: "msg_1", phase: "commentary", annotations: [annotation] },
    ]);
  });

  test("whose text did not come in pieces have it from their end", () => {
    expect(
      outcomeOf(created, added(0, emptyMessage), done(0, message("Hello")), completed()).text,
    ).toBe("Hello");
    expect(
      outcomeOf(created, ...hello.slice(0, 2), done(0, message("Hello")), completed()).text,
    ).toBe("Hello");
  });
});

describe("calls", () => {
  test("have their arguments in pieces, which are passed on as they are", () => {
    const events = decode(
      created,
      added(0, call),
      delta("function_call_arguments", 0, '{"a": 1'),
      delta("function_call_arguments", 0, ".0}"),
      done(0, { ...call, arguments: '{"a": 1.0}' }),
      completed(),
    );
    const deltas = events.flatMap((event) => (event.type === "block_delta" ? [event.text] : []));
    expect(deltas).toEqual(['{"a": 1', ".0}"]);
    expect(toOutcome(events)).toMatchObject({
      toolCalls: [{ id: "call_1", name: "add", arguments: { a: 1 } }],
      stopReason: "tool_use",
    });
    expect(dataOf(events)).toEqual([{ type: "function_call", id: "fc_1" }]);
  });

  test("begin once it is known what they call", () => {
    const events = decode(
      created,
      added(0, { type: "function_call", id: "fc_1" }),
      delta("function_call_arguments", 0, '{"a":1}'),
      done(0, { ...call, arguments: '{"a":1}' }),
      completed(),
    );
    expect(toOutcome(events).toolCalls).toEqual([
      { id: "call_1", name: "add", arguments: { a: 1 } },
    ]);
  });

  test.each([
    ["a piece was lost", ['{"path":"/tmp', 'x"}'], '{"path":"/tmp/x"}'],
    ["a piece came twice", ['{"path":"/tmp', "/tmp", '/x"}'], '{"path":"/tmp/x"}'],
  ])("are what the item says in the end, where %s", (_why, pieces, whole) => {
    const deltas = pieces.map((piece) => delta("function_call_arguments", 0, piece));
    const item = { ...call, arguments: whole };
    const events = decode(created, added(0, call), ...deltas, done(0, item), completed());
    expect(events.find(({ type }) => type === "block_abort")).toMatchObject({ index: 0 });
    expect(toOutcome(events).toolCalls).toEqual([
      { id: "call_1", name: "add", arguments: { path: "/tmp/x" } },
    ]);
  });

  test.each(['{"a":1,"b":2}', "{}", "{ }", '{"a": 1, "b"'])(
    "stay as they came, where the item says no more than %s",
    (whole) => {
      const events = decode(
        created,
        added(0, call),
        delta("function_call_arguments", 0, '{"a": 1, "b": 2}'),
        done(0, { ...call, arguments: whole }),
        completed(),
      );
      expect(events.filter(({ type }) => type === "block_start")).toHaveLength(1);
      expect(toOutcome(events).toolCalls).toMatchObject([{ arguments: { a: 1, b: 2 } }]);
    },
  );

  test("may be mixed", () => {
    const second = { ...call, id: "fc_2", call_id: "call_2" };
    expect(
      outcomeOf(
        created,
        added(0, call),
        added(1, second),
        delta("function_call_arguments", 1, '{"a":2}'),
        delta("function_call_arguments", 0, '{"a":1}'),
        done(1, { ...second, arguments: '{"a":2}' }),
        done(0, { ...call, arguments: '{"a":1}' }),
        completed(),
      ).toolCalls,
    ).toEqual([
      { id: "call_1", name: "add", arguments: { a: 1 } },
      { id: "call_2", name: "add", arguments: { a: 2 } },
    ]);
  });

  test("keep namespace and caller", () => {
    const caller = { type: "program", caller_id: "prog_1" };
    const item = { ...call, arguments: "{}", namespace: "crm", caller };
    expect(dataOf(decode(created, added(0, item), done(0, item), completed()))).toEqual([
      { type: "function_call", id: "fc_1", namespace: "crm", caller },
    ]);
  });

  test("R12: of custom tools have any text as input, which is a JSON string here", () => {
    const item = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "sql" };
    const input = 'SELECT "a"\n🌧️';
    const events = decode(
      created,
      added(0, { ...item, input: "" }),
      delta("custom_tool_call_input", 0, 'SELECT "a"\n'),
      delta("custom_tool_call_input", 0, "🌧️"),
      done(0, { ...item, input }),
      completed(),
    );
    expect(toOutcome(events)).toMatchObject({
      toolCalls: [{ id: "call_1", name: "sql", arguments: input }],
      stopReason: "tool_use",
    });
    expect(dataOf(events)).toEqual([{ type: "custom_tool_call", id: "ctc_1" }]);
  });

  test.each([
    "web_search_call",
    "mcp_call",
    "program",
    "compaction",
    "brand_new_item",
    "apply_patch_call",
  ])("R12, F12: of kind %s are not ours: kept whole, and no tool use", (type) => {
    const item = { type, id: "x_1", status: "completed", detail: { a: [1] } };
    const events = decode(
      created,
      added(0, { type, id: "x_1" }),
      done(0, item),
      ...hello.map(later),
      completed(),
    );
    expect(toOutcome(events)).toMatchObject({
      toolCalls: [],
      stopReason: "end",
      parts: ["other", "text"],
    });
    expect(dataOf(events)[0]).toEqual(item);
  });

  test("that do not say what they are leave nothing, as they would be refused", () => {
    const items = [{ id: "x_1" }, { id: "x_2", type: null }];
    const streamed = items.flatMap((item, i) => [added(i, item), done(i, item)]);
    for (const events of [streamed, []]) {
      const outcome = outcomeOf(created, ...events, completed({ output: items }));
      expect(outcome).toMatchObject({ outcome: "ok", parts: [] });
    }
  });
});

describe("reasoning", () => {
  test("has the parts of its summary joined by a blank line, and is kept whole", () => {
    const summary = ["a", "b"].map((words) => ({ type: "summary_text", text: words }));
    const item = { ...reasoning, summary, encrypted_content: "abc" };
    const events = decode(
      created,
      added(0, reasoning),
      delta("reasoning_summary_text", 0, "a", { summary_index: 0 }),
      delta("reasoning_summary_text", 0, "b", { summary_index: 1 }),
      done(0, { ...item, status: "completed" }),
      completed(),
    );
    expect(toOutcome(events)).toMatchObject({ reasoning: "a\n\nb", parts: ["reasoning"] });
    expect(dataOf(events)).toEqual([item]);
  });

  test("has the parts of its content joined too", () => {
    const pieces = ["a", "b"].map((words, content_index) =>
      delta("reasoning_text", 0, words, { content_index }),
    );
    const events = [created, added(0, reasoning), ...pieces, done(0, reasoning), completed()];
    expect(outcomeOf(...events).reasoning).toBe("a\n\nb");
  });

  test("may be shown by compatible servers", () => {
    const content = [{ type: "reasoning_text", text: "hm" }];
    const item = { ...reasoning, content };
    const streamed = [delta("reasoning_text", 0, "hm", { content_index: 0 })];
    for (const pieces of [streamed, []]) {
      const events = decode(created, added(0, reasoning), ...pieces, done(0, item), completed());
      expect(toOutcome(events).reasoning).toBe("hm");
    }
  });

  test("R9: is encrypted once more in the last event, which is not compared", () => {
    const item = { ...reasoning, encrypted_content: "first" };
    const output = [{ ...reasoning, encrypted_content: "second" }];
    const events = decode(created, added(0, reasoning), done(0, item), completed({ output }));
    expect(dataOf(events)).toEqual([item]);
  });
});

test("usage tells cached and reasoning tokens apart", () => {
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 5 },
  };
  expect(outcomeOf(created, ...hello, completed({ usage })).usage).toEqual({
    inputTotal: 20,
    cacheRead: 8,
    cacheWrite: 4,
    outputTotal: 7,
    reasoning: 5,
  });
});

describe("an answer that is one document", () => {
  const output = [
    { ...reasoning, encrypted_content: "abc", summary: [{ type: "summary_text", text: "hm" }] },
    message("Hello"),
    { ...call, arguments: '{"a":1}' },
  ];
  const response = { ...head, object: "response", status: "completed", error: null, output };

  test("gives the events that the stream would have given", () => {
    const streamed = decode(
      created,
      ...output.flatMap((item, index) => [added(index, item), done(index, item)]),
      completed(),
    );
    expect(decodeDocument(scheme, JSON.stringify(response))).toEqual(streamed);
  });

  test("F14: is an error if it holds one", () => {
    const error = { code: "server_error", message: "x" };
    for (const body of [{ error }, { ...response, status: "failed", error }]) {
      expect(decodeDocument(scheme, JSON.stringify(body)).at(-1)).toMatchObject({
        error: { code: "server", message: "x" },
      });
    }
  });

  test("is no answer yet if it was started in the background", () => {
    const body = JSON.stringify({ ...response, output: [], status: "queued" });
    expect(decodeDocument(scheme, body).at(-1)).toMatchObject({ error: { code: "protocol" } });
  });

  test.each(["", "[]", "null", "{}", '{"choices":[]}'])(
    "is a protocol error if it is %j",
    (body) => {
      expect(decodeDocument(scheme, body)).toMatchObject([
        { type: "error", error: { code: "protocol" } },
      ]);
    },
  );
});

/** The same event of the next item. */
function later(event: Json): Json {
  return { ...event, output_index: 1 };
}
