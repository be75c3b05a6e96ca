import { expect, test } from "vitest";
import { readReply, sendTo } from "../../test/support/send.js";
import { testWires } from "../../test/support/test-wires.js";
import { PromptCache } from "../prompt-cache.js";
import { openaiChatWire } from "./openai-chat.js";
import type { WireReply } from "./wire.js";

const spoken = testWires.openaiChat;

function body(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...spoken.body("whole"), ...fields };
}

function send(given: unknown, cache: PromptCache = new PromptCache()): WireReply {
  return sendTo(openaiChatWire, spoken, given, { cache });
}

const chat = (...messages: unknown[]): Record<string, unknown> => body({ messages });
const user = (content: unknown): unknown => ({ role: "user", content });
const call = (id = "c1", name = "grep", json = "{}"): unknown => ({
  id,
  type: "function",
  function: { name, arguments: json },
});
const calling = (...calls: unknown[]): unknown => ({
  role: "assistant",
  content: null,
  tool_calls: calls,
});
const result = (id = "c1", content: unknown = "x"): unknown => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const withTool = (declared: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  body({ tools: [{ type: "function", function: declared }] });
const strictSchema = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  withTool({
    name: "a",
    strict: true,
    parameters: { type: "object", properties: { b: { type: "string" } }, ...fields },
  });

type Malformed = readonly [name: string, body: unknown, message: string, param: string | null];

const malformed: readonly Malformed[] = [
  ["no model", body({ model: undefined }), "Missing required parameter: 'model'", "model"],
  ["no messages", body({ messages: undefined }), "Missing required parameter", "messages"],
  ["no message at all", chat(), "empty array", "messages"],
  ["an unknown field", body({ max_output_tokens: 5 }), "Unknown parameter", "max_output_tokens"],
  [
    "an unknown role",
    chat({ role: "model", content: "x" }),
    "Invalid value: 'model'. Supported values are: 'system'",
    "messages[0].role",
  ],
  [
    "content that is a number",
    chat(user(1)),
    "expected an array, but got an integer",
    "messages[0].content",
  ],
  ["no parts", chat(user([])), "empty array", "messages[0].content"],
  ["an unknown part", chat(user([{ type: "video" }])), "Invalid value: 'video'", null],
  [
    "an answer that says nothing",
    chat(user("x"), { role: "assistant", content: null }),
    "expected a string, got null",
    "messages[1].content",
  ],
  [
    "an empty list of calls",
    chat(user("x"), { role: "assistant", content: "y", tool_calls: [] }),
    "empty array",
    "messages[1].tool_calls",
  ],
  [
    "arguments that are an object",
    chat(user("x"), calling({ ...Object(call()), function: { name: "a", arguments: {} } })),
    "expected a string, but got an object",
    "messages[1].tool_calls[0].function.arguments",
  ],
  [
    "a long call id",
    chat(user("x"), calling(call("c".repeat(41))), result("c".repeat(41))),
    "maximum length 40",
    "messages[1].tool_calls[0].id",
  ],
  [
    "two calls with one id",
    chat(user("x"), calling(call(), call()), result()),
    "Duplicate",
    "messages[1].tool_calls",
  ],
  ["a result without a call", chat(user("x"), result()), "must be a response to", null],
  [
    "a result of another call",
    chat(user("x"), calling(call()), result("c2")),
    "'tool_call_id' of 'c2' not found",
    null,
  ],
  [
    "a call without its result",
    chat(user("x"), calling(call()), user("y")),
    "did not have response messages: c1",
    null,
  ],
  [
    "one of two results",
    chat(user("x"), calling(call("a"), call("b")), result("a")),
    "did not have response messages: b",
    null,
  ],
  [
    "two results of one call",
    chat(user("x"), calling(call()), result(), result()),
    "'tool_call_id' of 'c1' not found",
    null,
  ],
  ["a tool name with a dot", withTool({ name: "a.b" }), "does not match pattern", null],
  ["a tool name of 65 characters", withTool({ name: "a".repeat(65) }), "maximum length 64", null],
  [
    "a schema that is true",
    withTool({ name: "a", parameters: true }),
    "expected an object, but got a boolean",
    "tools[0].function.parameters",
  ],
  [
    "a schema of a string",
    withTool({ name: "a", parameters: { type: "string" } }),
    "schema must be a JSON Schema of 'type: \"object\"'",
    "tools[0].function.parameters",
  ],
  [
    "an open schema of a strict tool",
    strictSchema({ required: ["b"] }),
    "'additionalProperties' is required to be supplied and to be false",
    "tools[0].function.parameters",
  ],
  [
    "a strict tool with an optional property",
    strictSchema({ additionalProperties: false }),
    "Missing 'b'",
    "tools[0].function.parameters",
  ],
  ["an empty list of tools", body({ tools: [] }), "empty array", "tools"],
  [
    "a choice without tools",
    body({ tools: undefined, tool_choice: "auto" }),
    "only allowed when 'tools' are specified",
    "tool_choice",
  ],
  [
    "parallel calls without tools",
    body({ tools: undefined, parallel_tool_calls: false }),
    "only allowed when 'tools' are specified",
    "parallel_tool_calls",
  ],
  [
    "a choice of no tool",
    body({ tool_choice: { type: "function", function: { name: "nope" } } }),
    "'nope' not found",
    "tool_choice",
  ],
  [
    "both limits",
    body({ max_tokens: 5, max_completion_tokens: 5 }),
    "at the same time is not supported",
    "max_tokens",
  ],
  [
    "stream options without a stream",
    body({ stream_options: { include_usage: true } }),
    "only allowed when 'stream' is enabled",
    "stream_options",
  ],
  ["a temperature of 3", body({ temperature: 3 }), "Expected a value <= 2", "temperature"],
  [
    "five stop sequences",
    body({ stop: [..."abcde"] }),
    "maximum length 4, but got an array with length 5",
    "stop",
  ],
  ["an unknown effort", body({ reasoning_effort: "huge" }), "Invalid value: 'huge'", null],
  ["two answers", body({ n: 2 }), "Expected a value <= 1", "n"],
  ["a list", [], "expected an object, but got an array", ""],
  ["broken JSON", Buffer.from("{"), "could not parse the JSON body", null],
  ["half a surrogate pair", Buffer.from(String.raw`{"a":"\ud83d"}`), "no low surrogate", null],
];

test.each(malformed)(
  "%s is refused with 400 in the provider's shape",
  (_, given, message, param) => {
    const reply = send(given);
    expect(reply.status).toBe(400);
    expect(readReply(reply)).toEqual({
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining(message),
        param: expect.toSatisfy((found: unknown) => param === null || found === param),
        code: expect.toSatisfy(isTextOrNull),
      },
    });
    expect(reply.headers["x-request-id"]).toMatch(/^req_/);
  },
);

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

const wellFormed: readonly (readonly [name: string, body: unknown])[] = [
  ["null where a field may be absent", body({ stop: null, max_tokens: null, user: null })],
  [
    "text parts",
    chat(
      { role: "system", content: [{ type: "text", text: "be short" }] },
      user([
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: "data:," } },
      ]),
    ),
  ],
  [
    "results in another order than their calls",
    chat(user("x"), calling(call("a"), call("b")), result("b"), result("a")),
  ],
  ["a tool without parameters", withTool({ name: "a" })],
  ["a strict tool", strictSchema({ required: ["b"], additionalProperties: false })],
  ["a custom tool", body({ tools: [{ type: "custom", custom: { name: "a" } }] })],
  ["an answer format", body({ response_format: { type: "json_object" } })],
];

test.each(wellFormed)("%s is accepted", (_, given) => {
  expect(readReply(send(given))).toMatchObject({ object: "chat.completion" });
});

test.each([
  ["no key", { authorization: undefined }, null],
  ["a refused key", { authorization: "Bearer bad-key" }, "invalid_api_key"],
])("%s is refused with 401", (_, headers, code) => {
  const reply = sendTo(openaiChatWire, spoken, body(), { headers });
  expect(reply.status).toBe(401);
  expect(readReply(reply)).toMatchObject({ error: { type: "invalid_request_error", code } });
});

test("another method is not found", () => {
  const reply = sendTo(openaiChatWire, spoken, body(), { method: "GET" });
  expect(reply.status).toBe(404);
});

const grep = { type: "function", function: { name: "grep" } };

test.each([
  ["none", "none", [], "stop"],
  ["required", "required", ["read_file", "grep", "list_dir"], "tool_calls"],
  // A request that names the function is answered as if the turn were over.
  ["a function", grep, ["grep"], "stop"],
  [
    "allowed tools",
    { type: "allowed_tools", allowed_tools: { mode: "required", tools: [grep] } },
    ["grep"],
    "tool_calls",
  ],
])("the tool choice %s is followed", (_, choice, names, finishReason) => {
  const given = body({ tool_choice: choice, messages: [user("Hello milk!")] });
  const [{ message, finish_reason: found }] = readReply(send(given))["choices"] as unknown as [
    { message: { tool_calls?: { function: { name: string } }[] }; finish_reason: string },
  ];
  const called = (message.tool_calls ?? []).map((made) => made.function.name);
  expect(called).toHaveLength(Math.min(1, names.length));
  expect(called.every((name) => names.includes(name))).toBe(true);
  expect(found).toBe(finishReason);
});

test("an answer that is longer than its limit is cut and says so", () => {
  const given = body({ max_completion_tokens: 5, messages: [user("Hello!")] });
  expect(readReply(send(given))).toMatchObject({
    choices: [{ finish_reason: "length", message: { content: "I am a scripted mode" } }],
    usage: { completion_tokens: 5 },
  });
});

test("an answer ends before a stop sequence", () => {
  const given = body({ stop: "small", messages: [user("Hello!")] });
  expect(readReply(send(given))).toMatchObject({
    choices: [{ finish_reason: "stop", message: { content: "I am a scripted model: a " } }],
  });
});

test("a long prefix is read from the cache by the next request, and by no other key", () => {
  const cache = new PromptCache();
  const system = { role: "system", content: "rule ".repeat(2000) };
  const cached = (key: string, ...messages: unknown[]): Record<string, number> => {
    const given = body({ prompt_cache_key: key, messages: [system, ...messages] });
    const usage = readReply(send(given, cache))["usage"] as unknown as {
      prompt_tokens_details: Record<string, number>;
    };
    return usage.prompt_tokens_details;
  };
  expect(cached("a", user("x"))).toMatchObject({ cached_tokens: 0 });
  const second = cached("a", user("x"), { role: "assistant", content: "y" }, user("z"));
  expect(second["cached_tokens"]).toBeGreaterThan(2400);
  expect((second["cached_tokens"] ?? 1) % 128).toBe(0);
  expect(cached("b", user("x"))).toMatchObject({ cached_tokens: 0 });
});

test("usage stands in a chunk of its own, and only if it is asked for", () => {
  const streamed = { ...spoken.body("stream") };
  const chunks = (given: unknown): Record<string, unknown>[] => {
    const reply = sendTo(openaiChatWire, spoken, given, { mode: "stream" });
    return spoken.parseStream(Buffer.from(reply.body).toString()) as Record<string, unknown>[];
  };
  expect(chunks(streamed).at(-1)).toMatchObject({
    choices: [],
    usage: { total_tokens: expect.any(Number) },
  });
  const without = chunks({ ...streamed, stream_options: undefined });
  expect(without.every((chunk) => !("usage" in chunk))).toBe(true);
});

test("a result that says that it is an error is taken for one", () => {
  const [readFile] = spoken.body("whole")["tools"] as unknown[];
  const messages = [
    user("What does notes.txt say about milk?"),
    calling(call("c1", "read_file", '{"path":"notes.txt"}')),
    result("c1", "Error: permission denied"),
  ];
  expect(readReply(send(body({ tools: [readFile], messages })))).toMatchObject({
    choices: [{ message: { content: expect.stringContaining("failed: permission denied") } }],
  });
});
