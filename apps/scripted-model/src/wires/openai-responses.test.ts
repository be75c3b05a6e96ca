import { describe, expect, test } from "vitest";
import { readReply, sendTo } from "../../test/support/send.js";
import { testWires } from "../../test/support/test-wires.js";
import { PromptCache } from "../prompt-cache.js";
import { openaiResponsesWire } from "./openai-responses.js";
import type { WireReply } from "./wire.js";

const spoken = testWires.openaiResponses;

type Fields = Readonly<Record<string, unknown>>;

function body(fields: Fields = {}): Record<string, unknown> {
  return { ...spoken.body("whole"), ...fields };
}

function send(given: unknown, cache: PromptCache = new PromptCache()): WireReply {
  return sendTo(openaiResponsesWire, spoken, given, { cache });
}

const input = (...items: unknown[]): Record<string, unknown> => body({ input: items });
const user = (content: unknown): Fields => ({ role: "user", content });
const call = (callId = "c1", fields: Fields = {}): Fields => ({
  type: "function_call",
  call_id: callId,
  name: "grep",
  arguments: "{}",
  ...fields,
});
const result = (callId = "c1", output: unknown = "x"): Fields => ({
  type: "function_call_output",
  call_id: callId,
  output,
});
const reasoning = (fields: Fields): Fields => ({
  type: "reasoning",
  id: "rs_1",
  summary: [],
  ...fields,
});

type Malformed = readonly [name: string, body: unknown, message: string, param: string | null];

const malformed: readonly Malformed[] = [
  ["no model", body({ model: undefined }), "Missing required parameter: 'model'", "model"],
  ["no input", body({ input: undefined }), "Missing required parameter: 'input'", "input"],
  ["an unknown field", body({ max_tokens: 5 }), "Unknown parameter: 'max_tokens'", "max_tokens"],
  ["an unknown role", input({ role: "tool", content: "x" }), "Invalid value: 'tool'", null],
  ["an unknown item", input({ type: "tool_result" }), "Invalid value: 'tool_result'", null],
  [
    "an answer in the form of a question",
    input({ role: "assistant", content: [{ type: "input_text", text: "x" }] }, user("y")),
    "Supported values are: 'output_text', 'refusal'",
    "input[0].content[0].type",
  ],
  ["a chat tool", body({ tools: [{ type: "function", function: {} }] }), "'tools[0].name'", null],
  [
    "a schema of a string",
    body({ tools: [{ type: "function", name: "a", parameters: { type: "string" } }] }),
    "Invalid schema for function 'a'",
    "tools[0].parameters",
  ],
  [
    "an open schema of a strict tool",
    body({
      tools: [{ type: "function", name: "a", strict: true, parameters: { type: "object" } }],
    }),
    "'additionalProperties' is required",
    "tools[0].parameters",
  ],
  [
    "a choice of no tool",
    body({ tool_choice: { type: "function", name: "nope" } }),
    "'nope' not found",
    "tool_choice",
  ],
  [
    "a choice without tools",
    body({ tools: undefined, tool_choice: "required" }),
    "only allowed when 'tools'",
    "tool_choice",
  ],
  [
    "15 output tokens",
    body({ max_output_tokens: 15 }),
    "Expected a value >= 16, but got 15",
    "max_output_tokens",
  ],
  ["an unknown inclusion", body({ include: ["all"] }), "Invalid value: 'all'", "include[0]"],
  [
    "an earlier response, which nobody has kept",
    body({ previous_response_id: "resp_1" }),
    "Previous response with id 'resp_1' not found",
    "previous_response_id",
  ],
  ["background mode", body({ background: true }), "not available", "background"],
  [
    "a result without a call",
    input(user("x"), result()),
    "No tool call found for function call output with call_id c1",
    "input",
  ],
  ["a result before its call", input(user("x"), result(), call()), "No tool call found", "input"],
  [
    "a call without its result",
    input(user("x"), call()),
    "No tool output found for function call c1",
    "input",
  ],
  ["two results", input(user("x"), call(), result(), result()), "No tool call found", "input"],
  ["two calls with one id", input(user("x"), call(), call(), result()), "Duplicate", "input"],
  [
    "an id of another kind",
    input(user("x"), call("c1", { id: "call_1" }), result()),
    "Expected an ID that begins with 'fc'",
    "input[1].id",
  ],
  [
    "an item twice",
    input(
      user("x"),
      call("a", { id: "fc_1" }),
      call("b", { id: "fc_1" }),
      result("a"),
      result("b"),
    ),
    "Duplicate item found with id fc_1",
    "input",
  ],
  [
    "a long call id",
    input(user("x"), call("c".repeat(65)), result("c".repeat(65))),
    "maximum length 64",
    "input[1].call_id",
  ],
  [
    "arguments that are an object",
    input(user("x"), call("c1", { arguments: {} }), result()),
    "expected a string, but got an object",
    "input[1].arguments",
  ],
  [
    "reasoning that somebody else has sealed",
    input(user("x"), reasoning({ encrypted_content: "gAAAAAx" }), call(), result()),
    "could not be decrypted",
    null,
  ],
  ["broken JSON", Buffer.from("{"), "could not parse the JSON body", null],
];

test.each(malformed)(
  "%s is refused with 400 in the provider's shape",
  (_, given, message, param) => {
    const reply = send(given);
    expect(reply.status).toBe(400);
    const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";
    expect(readReply(reply)).toEqual({
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining(message),
        param: expect.toSatisfy((found: unknown) => param === null || found === param),
        code: expect.toSatisfy(isTextOrNull),
      },
    });
  },
);

const wellFormed: readonly (readonly [name: string, body: unknown])[] = [
  ["a plain string", body({ input: "Hello!" })],
  ["null where a field may be absent", body({ reasoning: null, store: null, include: null })],
  [
    "messages with and without their type",
    input(
      { type: "message", role: "developer", content: "be short" },
      user([{ type: "input_text", text: "x" }]),
      { role: "assistant", content: [{ type: "output_text", text: "y" }], phase: "final_answer" },
      user("z"),
    ),
  ],
  ["results behind all calls", input(user("x"), call("a"), call("b"), result("b"), result("a"))],
  [
    "a result of parts",
    input(user("x"), call(), result("c1", [{ type: "input_text", text: "y" }])),
  ],
  ["a call with an id of one's own", input(user("x"), call("c1", { id: "fc_mine" }), result())],
  ["a hosted tool", body({ tools: [{ type: "web_search" }] })],
];

test.each(wellFormed)("%s is accepted", (_, given) => {
  expect(readReply(send(given))).toMatchObject({ object: "response", status: "completed" });
});

describe("reasoning", () => {
  const stateless: Fields = {
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low" },
  };
  const question = user('Where is "x"?');

  /** The items of an answer with reasoning and a call. */
  function answered(fields: Fields): [thought: Fields, made: Fields] {
    const output: unknown = readReply(send(body({ ...fields, input: [question] })))["output"];
    const [thought, made] = output as [Fields, Fields];
    expect([thought["type"], made["type"]]).toEqual(["reasoning", "function_call"]);
    return [thought, made];
  }

  function sendBack(fields: Fields, ...items: readonly Fields[]): WireReply {
    const results = items
      .filter((item) => item["type"] === "function_call")
      .map(({ call_id: callId }) => ({ ...result(), call_id: callId }));
    return send(body({ ...fields, input: [question, ...items, ...results] }));
  }

  test("comes back with its call, sealed, or by its id where answers are stored", () => {
    const [thought, made] = answered(stateless);
    expect(sendBack(stateless, thought, made).status).toBe(200);
    const stored: Fields = { reasoning: { effort: "low" } };
    const [storedThought, storedMade] = answered(stored);
    expect(storedThought).not.toHaveProperty("encrypted_content");
    expect(sendBack(stored, storedThought, storedMade).status).toBe(200);
  });

  test("does not come back without what followed it, nor that without it", () => {
    const [thought, made] = answered(stateless);
    expect(readReply(sendBack(stateless, thought))).toMatchObject({
      error: { message: expect.stringContaining("without its required following item") },
    });
    expect(readReply(sendBack(stateless, made))).toMatchObject({
      error: { message: expect.stringContaining("without its required 'reasoning' item") },
    });
    expect(sendBack(stateless, { ...made, id: undefined }).status).toBe(200);
  });

  test("goes with the item that it was made for, not with another", () => {
    const [thought, made] = answered(stateless);
    const [otherThought] = answered({ ...stateless, instructions: "be short" });
    const swapped = { ...thought, encrypted_content: otherThought["encrypted_content"] };
    expect(readReply(sendBack(stateless, swapped, made))).toMatchObject({
      error: {
        code: "invalid_encrypted_content",
        message: expect.stringContaining("item_id did not match"),
      },
    });
  });

  test("that nobody has stored is not found without its sealed text", () => {
    const [thought, made] = answered(stateless);
    for (const unsealed of [{ ...thought, encrypted_content: null }, reasoning({ id: "rs_x" })]) {
      const reply = sendBack(stateless, unsealed, made);
      expect(reply.status).toBe(404);
      expect(readReply(reply)).toMatchObject({
        error: { message: expect.stringContaining("not persisted when `store` is set to false") },
      });
    }
  });

  test("looks different each time it is sealed", () => {
    const reply = sendTo(
      openaiResponsesWire,
      spoken,
      body({ ...stateless, stream: true, input: [question] }),
    );
    const sealed =
      Buffer.from(reply.body)
        .toString()
        .match(/gAAAAA[\w-]+/g) ?? [];
    expect(new Set(sealed).size).toBe(3);
  });
});

test.each([
  ["no key", { authorization: undefined }, null],
  ["a refused key", { authorization: "Bearer bad-key" }, "invalid_api_key"],
])("%s is refused with 401", (_, headers, code) => {
  const reply = sendTo(openaiResponsesWire, spoken, body(), { headers });
  expect(reply.status).toBe(401);
  expect(readReply(reply)).toMatchObject({ error: { type: "invalid_request_error", code } });
});

test("stored responses are not served", () => {
  const reply = sendTo(openaiResponsesWire, spoken, {}, { path: "/v1/responses/resp_1" });
  expect(reply.status).toBe(404);
});

test.each([
  ["none", "none", []],
  ["a function", { type: "function", name: "grep" }, ["grep"]],
  [
    "allowed tools",
    { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "grep" }] },
    ["grep"],
  ],
])("the tool choice %s is followed", (_, choice, names) => {
  const document = readReply(send(body({ tool_choice: choice, input: "Hello milk!" })));
  const output = document["output"] as unknown as { type: string; name?: string }[];
  const called = output.filter(({ type }) => type === "function_call").map(({ name }) => name);
  expect(called).toEqual(names);
});

test("an answer that is longer than its limit is incomplete and says so", () => {
  const given = body({ max_output_tokens: 16, input: "Hello!" });
  expect(readReply(send(given))).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ type: "message", status: "incomplete" }],
    usage: { output_tokens: 16 },
  });
});

test("what is said before calls is commentary, what ends the turn is the answer", () => {
  const calling = readReply(send(body({ input: 'Where is "x"?' })));
  expect(calling).toMatchObject({ output: [{ phase: "commentary" }, { type: "function_call" }] });
  expect(readReply(send(body({ input: "Hello!" })))).toMatchObject({
    output: [{ phase: "final_answer" }],
  });
});

test("a long prefix is read from the cache by the next request", () => {
  const cache = new PromptCache();
  const given = body({ instructions: "rule ".repeat(2000) });
  const details = (): Record<string, number> => {
    const usage: unknown = readReply(send(given, cache))["usage"];
    return (usage as { input_tokens_details: Record<string, number> }).input_tokens_details;
  };
  const first = details();
  expect(first["cached_tokens"]).toBe(0);
  expect(first["cache_write_tokens"]).toBeGreaterThan(2500);
  expect(details()["cached_tokens"]).toBeGreaterThan(2400);
});
