import { expect, test } from "vitest";
import { readReply, sendTo } from "../../test/support/send.js";
import { testWires } from "../../test/support/test-wires.js";
import { ollamaWire } from "./ollama.js";
import type { WireReply } from "./wire.js";

const spoken = testWires.ollama;

function body(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...spoken.body("whole"), ...fields };
}

function send(given: unknown): WireReply {
  return sendTo(ollamaWire, spoken, given);
}

const chat = (...messages: unknown[]): Record<string, unknown> => body({ messages });
const user = (content: unknown): unknown => ({ role: "user", content });
const call = (name = "grep", id?: string, input: unknown = {}): unknown => ({
  id,
  function: { name, arguments: input },
});
const calling = (...calls: unknown[]): unknown => ({
  role: "assistant",
  content: "",
  tool_calls: calls,
});
const result = (name = "grep", id?: string): unknown => ({
  role: "tool",
  tool_name: name,
  tool_call_id: id,
  content: "x",
});

const malformed: readonly (readonly [name: string, body: unknown, message: string])[] = [
  ["no model", body({ model: undefined }), "model is required"],
  ["an empty model name", body({ model: "" }), "model is required"],
  [
    "messages that are an object",
    body({ messages: {} }),
    "json: cannot unmarshal object into Go struct field ChatRequest.messages of type []interface {}",
  ],
  [
    "an unknown role",
    chat({ role: "developer", content: "x" }),
    'invalid messages.role: "developer"',
  ],
  [
    "content of parts",
    chat(user([{ type: "text", text: "x" }])),
    "cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
  ],
  [
    "arguments that are text",
    chat(user("x"), calling(call("grep", "a", "{}")), result()),
    "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments",
  ],
  ["a result without a call", chat(user("x"), result()), "without the call that it answers"],
  [
    "a result of another call",
    chat(user("x"), calling(call("grep", "a")), result("grep", "b")),
    "without the call that it answers",
  ],
  [
    "a result of another tool",
    chat(user("x"), calling(call()), result("read_file")),
    "without the call that it answers",
  ],
  [
    "a call without its result",
    chat(user("x"), calling(call()), user("y")),
    "expected a tool message with the result of grep",
  ],
  [
    "one of two results",
    chat(user("x"), calling(call(), call()), result()),
    "expected a tool message with the result of grep",
  ],
  [
    "a tool without parameters",
    body({ tools: [{ type: "function", function: { name: "a" } }] }),
    "parameters is required",
  ],
  ["an unknown way to think", body({ think: "hard" }), 'invalid think value: "hard"'],
  ["an option of the wrong type", body({ options: { num_ctx: "8k" } }), "of type int"],
  ["broken JSON", Buffer.from("{"), "invalid JSON"],
];

test.each(malformed)("%s is refused with 400 in the server's shape", (_, given, message) => {
  const reply = send(given);
  expect(reply.status).toBe(400);
  expect(readReply(reply)).toEqual({ error: expect.stringContaining(message) });
});

const wellFormed: readonly (readonly [name: string, body: unknown])[] = [
  ["a field that nobody knows", body({ max_tokens: 5, options: { mirostat: 1 } })],
  [
    "null where a field may be absent",
    chat({ role: "user", content: "x", images: null, tool_calls: null }),
  ],
  [
    "results without ids",
    chat(
      user("x"),
      calling(call("grep", "a"), call("read_file", "b")),
      result("grep"),
      result("read_file"),
    ),
  ],
  [
    "results of two calls of one tool, by their ids",
    chat(
      user("x"),
      calling(call("grep", "a"), call("grep", "b")),
      result("grep", "b"),
      result("grep", "a"),
    ),
  ],
  ["an answer format", body({ format: { type: "object" } })],
];

test.each(wellFormed)("%s is accepted", (_, given) => {
  expect(readReply(send(given))).toMatchObject({ done: true, done_reason: "stop" });
});

test("a request without messages loads the model", () => {
  expect(readReply(send(body({ messages: [] })))).toMatchObject({
    done: true,
    done_reason: "load",
    message: { role: "assistant", content: "" },
  });
});

test("no key is needed, and one that is wrong is refused", () => {
  const refused = sendTo(ollamaWire, spoken, body(), {
    headers: { authorization: "Bearer bad-key" },
  });
  expect(refused.status).toBe(401);
  expect(readReply(refused)).toEqual({ error: "unauthorized" });
});

test("another path is not found", () => {
  const reply = sendTo(ollamaWire, spoken, {}, { path: "/api/tags", method: "GET" });
  expect(reply.status).toBe(404);
});

test("an answer that is longer than its limit is cut and says so", () => {
  const given = { ...chat(user("Hello!")), options: { num_predict: 5 } };
  expect(readReply(send(given))).toMatchObject({
    done_reason: "length",
    message: { content: "I am a scripted mode" },
    eval_count: 5,
  });
});

test("an answer ends before a stop sequence", () => {
  const given = { ...chat(user("Hello!")), options: { stop: ["small"] } };
  expect(readReply(send(given))).toMatchObject({
    message: { content: "I am a scripted model: a " },
  });
});

test("two calls of one turn come on lines of their own, numbered", () => {
  const given = { ...spoken.body("stream"), messages: [user("Compare a.txt and b.txt")] };
  const reply = sendTo(ollamaWire, spoken, given, { mode: "stream" });
  const calls = spoken.parseStream(Buffer.from(reply.body).toString()).flatMap((line) => {
    const { message } = line as {
      message: { tool_calls?: { id: string; function: { index: number; arguments: unknown } }[] };
    };
    expect(message.tool_calls ?? []).toSatisfy((made: unknown[]) => made.length <= 1);
    return message.tool_calls ?? [];
  });
  expect(calls.map((made) => made.function)).toEqual([
    { index: 0, name: "read_file", arguments: { path: "a.txt" } },
    { index: 1, name: "read_file", arguments: { path: "b.txt" } },
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
});
