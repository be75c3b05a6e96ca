import { expect, test } from "vitest";
import { requestBody, sdkTools } from "../../test/support/messages.js";
import { PromptCache } from "../prompt-cache.js";
import { anthropicWire } from "./anthropic.js";
import type { WireReply } from "./wire.js";

function send(
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
  cache: PromptCache = new PromptCache(),
): WireReply {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  const request = {
    method: "POST",
    path: "/v1/messages",
    query: new URLSearchParams(),
    headers: { "x-api-key": "k", "anthropic-version": "2026-10-21", ...headers },
    body: bytes,
  };
  return anthropicWire.reply(request, { seed: 1, cache });
}

function read(reply: WireReply): Record<string, never> {
  return JSON.parse(Buffer.from(reply.body).toString());
}

const user = (content: unknown): unknown => ({ role: "user", content });
const assistant = (content: unknown): unknown => ({ role: "assistant", content });
const call = (id = "t1", name = "grep"): unknown => ({ type: "tool_use", id, name, input: {} });
const result = (id = "t1"): unknown => ({ type: "tool_result", tool_use_id: id, content: "x" });
const mark = { cache_control: { type: "ephemeral" } };
const markedText = { type: "text", text: "x", ...mark };
const namedTool = (name: string): unknown => ({ name, input_schema: { type: "object" } });
const chat = (...messages: unknown[]): Record<string, unknown> => requestBody({ messages });

const malformed: readonly (readonly [name: string, body: unknown, message: string])[] = [
  ["no model", requestBody({ model: undefined }), "model: Field required"],
  ["no max_tokens", requestBody({ max_tokens: undefined }), "max_tokens: Field required"],
  ["no messages", requestBody({ messages: undefined }), "messages: Field required"],
  ["an empty list of messages", chat(), "messages: at least one message"],
  ["max_tokens 0", requestBody({ max_tokens: 0 }), "max_tokens: Input should be greater"],
  ["an unknown field", requestBody({ frequency_penalty: 1 }), "frequency_penalty: Extra inputs"],
  ["an unknown role", chat({ role: "tool", content: "x" }), "messages.0.role: Input should be"],
  ["empty content", chat(user("")), "messages.0: user messages must have non-empty content"],
  ["no blocks", chat(user([])), "messages.0: user messages must have non-empty content"],
  [
    "an empty text block",
    chat(user([{ type: "text", text: "" }])),
    "text content blocks must be non-empty",
  ],
  ["a blank text block", chat(user(" \n")), "must contain non-whitespace"],
  ["an unknown block", chat(user([{ type: "video" }])), "messages.0.content.0: Input tag"],
  ["an assistant first", chat(assistant("x"), user("y")), "first message must use"],
  [
    "an assistant last",
    chat(user("x"), assistant("y")),
    "does not support assistant message prefill",
  ],
  ["a result without its call", chat(user([result()])), "unexpected `tool_use_id`"],
  [
    "a result of an older call",
    chat(user("x"), assistant([call()]), user([result()]), assistant("y"), user([result()])),
    "messages.4: unexpected `tool_use_id`",
  ],
  [
    "a call without its result",
    chat(user("x"), assistant([call()]), user("y")),
    "messages.1: `tool_use` ids were found without",
  ],
  [
    "one of two results",
    chat(user("x"), assistant([call("a"), call("b")]), user([result("a")])),
    "immediately after: b.",
  ],
  [
    "two results for one call",
    chat(user("x"), assistant([call()]), user([result(), result()])),
    "a single result",
  ],
  [
    "text before a result",
    chat(user("x"), assistant([call()]), user([{ type: "text", text: "y" }, result()])),
    "must come before any other content",
  ],
  ["a call of the user", chat(user([call()])), "can only be in `assistant` messages"],
  [
    "a result of the assistant",
    chat(user("x"), assistant([result()]), user("y")),
    "can only be in `user` messages",
  ],
  [
    "a call id used twice",
    chat(user("x"), assistant([call()]), user([result()]), assistant([call()]), user([result()])),
    "ids must be unique",
  ],
  [
    "a call id with a dot",
    chat(user("x"), assistant([call("a.b")]), user([result("a.b")])),
    "String should match pattern",
  ],
  [
    "an input that is text",
    chat(
      user("x"),
      assistant([{ type: "tool_use", id: "t1", name: "grep", input: "{}" }]),
      user([result()]),
    ),
    "messages.1.content.0.input: Input should be a valid dictionary",
  ],
  [
    "a tool name with a space",
    requestBody({ tools: [namedTool("read file")] }),
    "tools.0.custom.name: String should match",
  ],
  [
    "two tools of one name",
    requestBody({ tools: [namedTool("a"), namedTool("a")] }),
    "Tool names must be unique",
  ],
  [
    "a tool without a schema",
    requestBody({ tools: [{ name: "a" }] }),
    "tools.0.custom.input_schema: Field required",
  ],
  [
    "a schema that is true",
    requestBody({ tools: [{ name: "a", input_schema: true }] }),
    "Input does not match the expected shape",
  ],
  [
    "a schema of a string",
    requestBody({ tools: [{ name: "a", input_schema: { type: "string" } }] }),
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    "required properties that are text",
    requestBody({ tools: [{ name: "a", input_schema: { type: "object", required: "b" } }] }),
    "tools.0.custom.input_schema.required: Input should be a valid list",
  ],
  [
    "a system block of another kind",
    requestBody({ system: [{ type: "image" }] }),
    "system.0: Input tag",
  ],
  [
    "a choice without tools",
    requestBody({ tools: undefined, tool_choice: { type: "auto" } }),
    "tool_choice: may only be specified",
  ],
  [
    "a choice of no tool",
    requestBody({ tool_choice: { type: "tool", name: "nope" } }),
    "Tool 'nope' not found",
  ],
  [
    "five cache marks",
    requestBody({ system: [markedText], messages: [user(Array(4).fill(markedText))] }),
    "A maximum of 4 blocks with cache_control",
  ],
  [
    "a long mark after a short one",
    requestBody({
      system: [markedText],
      messages: [user([{ ...markedText, cache_control: { type: "ephemeral", ttl: "1h" } }])],
    }),
    "must not come after",
  ],
  [
    "a mark on thinking",
    chat(
      user("x"),
      assistant([{ type: "thinking", thinking: "", signature: "", ...mark }]),
      user("y"),
    ),
    "cache_control: Extra inputs",
  ],
  [
    "thinking of someone else",
    chat(user("x"), assistant([{ type: "thinking", thinking: "a", signature: "b" }]), user("y")),
    "Invalid `signature` in `thinking` block",
  ],
  [
    "a small thinking budget",
    requestBody({ thinking: { type: "enabled", budget_tokens: 10 } }),
    "thinking.budget_tokens: Input should be greater",
  ],
  [
    "more thinking than tokens",
    requestBody({ thinking: { type: "enabled", budget_tokens: 2000 } }),
    "must be greater than thinking.budget_tokens",
  ],
  [
    "a call without the thinking before it",
    requestBody({
      max_tokens: 3000,
      thinking: { type: "enabled", budget_tokens: 2000 },
      messages: [user("x"), assistant([call()]), user([result()])],
    }),
    "Expected `thinking`",
  ],
  ["a temperature", requestBody({ temperature: 0.5 }), "temperature: Extra inputs"],
  ["half a surrogate pair", Buffer.from(String.raw`{"model":"\ud83d"}`), "no low surrogate"],
  ["broken JSON", Buffer.from("{"), "not valid JSON"],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "not valid JSON: not UTF-8"],
  ["a list", [], "Input should be a valid dictionary"],
];

test.each(malformed)("%s is refused with 400 in the provider's shape", (_, body, message) => {
  const reply = send(body);
  expect(reply.status).toBe(400);
  const document = read(reply);
  expect(document).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: expect.stringContaining(message) },
    request_id: expect.stringMatching(/^req_/),
  });
  expect(reply.headers["request-id"]).toBe(document["request_id"]);
});

const wellFormed: readonly (readonly [name: string, body: unknown])[] = [
  [
    "text that shows an escape of half a pair",
    chat(user(String.raw`what is "\ud83d" in JavaScript?`)),
  ],
  [
    "neighbours of one role, as one message",
    chat(
      user("x"),
      assistant("a"),
      assistant([call("a"), call("b")]),
      user([result("a")]),
      user([result("b")]),
    ),
  ],
  [
    "text behind the results",
    chat(user("x"), assistant([call()]), user([result(), { type: "text", text: "and?" }])),
  ],
  [
    "a system message on the way",
    chat(user("x"), { role: "system", content: "be short" }, assistant("y"), user("z")),
  ],
  [
    "blocks as content of a result",
    chat(
      user("x"),
      assistant([call()]),
      user([
        {
          type: "tool_result",
          tool_use_id: "t1",
          content: [{ type: "text", text: "x" }],
          is_error: true,
        },
      ]),
    ),
  ],
  [
    "a result without content",
    chat(user("x"), assistant([call()]), user([{ type: "tool_result", tool_use_id: "t1" }])),
  ],
  [
    "a tool of the provider",
    requestBody({ tools: [...sdkTools, { type: "web_search_20250305", name: "web_search" }] }),
  ],
  [
    "four cache marks",
    requestBody({ system: [markedText], messages: [user(Array(3).fill(markedText))] }),
  ],
];

test.each(wellFormed)("%s is accepted", (_, body) => {
  expect(read(send(body))).toMatchObject({ type: "message" });
});

test("the older version takes sampling parameters in their range", () => {
  const older = { "anthropic-version": "2023-06-01" };
  expect(send(requestBody({ temperature: 0.5 }), older).status).toBe(200);
  expect(read(send(requestBody({ temperature: 1.5 }), older))).toMatchObject({
    error: { message: "temperature: range: 0..1" },
  });
});

test.each([
  ["no version", { "anthropic-version": undefined }, 400, "invalid_request_error"],
  ["an unknown version", { "anthropic-version": "2020-01-01" }, 400, "invalid_request_error"],
  ["no key", { "x-api-key": undefined }, 401, "authentication_error"],
  ["a refused key", { "x-api-key": "bad-key" }, 401, "authentication_error"],
  [
    "a refused bearer",
    { "x-api-key": undefined, authorization: "Bearer bad-key" },
    401,
    "authentication_error",
  ],
])("%s is refused", (_, headers, status, type) => {
  const reply = send(requestBody(), headers);
  expect(reply.status).toBe(status);
  expect(read(reply)).toMatchObject({ type: "error", error: { type } });
});

test("another path or method is not found", () => {
  for (const [method, path] of [
    ["POST", "/v1/complete"],
    ["POST", "/v1/messages/count_tokens"],
    ["GET", "/v1/messages"],
  ]) {
    const request = {
      method: method ?? "",
      path: path ?? "",
      query: new URLSearchParams(),
      headers: {},
      body: new Uint8Array(),
    };
    const reply = anthropicWire.reply(request, { seed: 1, cache: new PromptCache() });
    expect(reply.status).toBe(404);
    expect(read(reply)).toMatchObject({ error: { type: "not_found_error" } });
  }
});

test("an answer that is longer than max_tokens is cut and says so", () => {
  const message = read(send(requestBody({ max_tokens: 5, messages: [user("Hello!")] })));
  expect(message).toMatchObject({
    stop_reason: "max_tokens",
    content: [{ type: "text", text: "I am a scripted mode" }],
    usage: { output_tokens: 5 },
  });
});

test("an answer ends before a stop sequence and names it", () => {
  const body = requestBody({ stop_sequences: ["small", "zzz"], messages: [user("Hello!")] });
  expect(read(send(body))).toMatchObject({
    stop_reason: "stop_sequence",
    stop_sequence: "small",
    content: [{ text: "I am a scripted model: a " }],
  });
});

test("a marked prefix is read from the cache by the next request", () => {
  const cache = new PromptCache();
  const body = requestBody({ system: [{ type: "text", text: "rule ".repeat(1000), ...mark }] });
  const first: Record<string, number> = read(send(body, {}, cache))["usage"] ?? {};
  expect(first["cache_creation_input_tokens"]).toBeGreaterThan(1000);
  expect(first["cache_read_input_tokens"]).toBe(0);
  const second: Record<string, number> = read(send(body, {}, cache))["usage"] ?? {};
  expect(second["cache_read_input_tokens"]).toBe(first["cache_creation_input_tokens"]);
  expect(second["cache_creation_input_tokens"]).toBe(0);
  expect(second["input_tokens"]).toBe(first["input_tokens"]);
});

test("the model sees what the messages hold, whichever way they are written", () => {
  const reply = send(
    chat(
      user([{ type: "text", text: "What does notes.txt say about milk?" }]),
      assistant([{ type: "tool_use", id: "t1", name: "read_file", input: { path: "notes.txt" } }]),
      user([
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "buy milk" }] },
      ]),
    ),
  );
  expect(read(reply)).toMatchObject({
    stop_reason: "end_turn",
    content: [{ text: "> buy milk\n(from notes.txt, lines:1-1)" }],
  });
});
