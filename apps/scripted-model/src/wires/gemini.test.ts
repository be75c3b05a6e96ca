import { describe, expect, test } from "vitest";
import { readReply, sendTo } from "../../test/support/send.js";
import { testWires } from "../../test/support/test-wires.js";
import { PromptCache } from "../prompt-cache.js";
import { geminiWire } from "./gemini.js";
import type { WireReply } from "./wire.js";

const spoken = testWires.gemini;
const STAND_IN = "skip_thought_signature_validator";

type Fields = Readonly<Record<string, unknown>>;

function body(fields: Fields = {}): Record<string, unknown> {
  return { ...spoken.body("whole"), ...fields };
}

function send(given: unknown, cache: PromptCache = new PromptCache()): WireReply {
  return sendTo(geminiWire, spoken, given, { cache });
}

const chat = (...contents: unknown[]): Record<string, unknown> => body({ contents });
const user = (...parts: unknown[]): unknown => ({ role: "user", parts });
const model = (...parts: unknown[]): unknown => ({ role: "model", parts });
const text = (said = "x"): unknown => ({ text: said });
const call = (
  name = "grep",
  fields: Fields = {},
  signature: string | undefined = STAND_IN,
): Fields => ({
  functionCall: { name, args: {}, ...fields },
  thoughtSignature: signature,
});
const response = (name = "grep", fields: Fields = {}): Fields => ({
  functionResponse: { name, response: { output: "x" }, ...fields },
});
const withFunction = (declared: Fields): Record<string, unknown> =>
  body({ tools: [{ functionDeclarations: [declared] }] });
const calling = (config: Fields): Record<string, unknown> =>
  body({ toolConfig: { functionCallingConfig: config } });

const malformed: readonly (readonly [name: string, body: unknown, message: string])[] = [
  ["no contents", body({ contents: undefined }), "contents: required field is missing"],
  ["an empty list of contents", chat(), "contents: contents must not be empty"],
  [
    "an unknown field",
    body({ max_tokens: 5 }),
    'Invalid JSON payload received. Unknown name "max_tokens": Cannot find field.',
  ],
  [
    "an unknown field inside",
    chat({ role: "user", parts: [text()], name: "x" }),
    "Unknown name \"name\" at 'contents[0]': Cannot find field.",
  ],
  [
    "an unknown role",
    chat({ role: "assistant", parts: [text()] }),
    "Please use a valid role: user, model.",
  ],
  [
    "text that is a number",
    chat(user({ text: 5 })),
    "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
  ],
  ["no parts", chat(user()), "contents[0].parts: parts must not be empty"],
  ["an empty part", chat(user({})), "oneof field 'data' must have one initialized field"],
  ["a part of two kinds", chat(user({ ...response(), text: "x" })), "is already set"],
  ["a call of the user", chat(user(call()), user(response())), "need the role 'model'"],
  [
    "a call at the beginning",
    chat(model(call()), user(response())),
    "function call turn comes immediately after a user turn",
  ],
  [
    "a call behind another answer",
    chat(user(text()), model(text()), model(call()), user(response())),
    "function call turn comes immediately after a user turn",
  ],
  [
    "a response without a call",
    chat(user(text()), user(response())),
    "function response turn comes immediately after a function call turn",
  ],
  [
    "a call without its response",
    chat(user(text()), model(call())),
    "number of function response parts is equal to the number of function call parts",
  ],
  [
    "one of two responses",
    chat(user(text()), model(call(), call()), user(response())),
    "number of function response parts",
  ],
  [
    "a response of another name",
    chat(user(text()), model(call()), user(response("read_file"))),
    "has the name and id of a function call",
  ],
  [
    "a response of another id",
    chat(user(text()), model(call("grep", { id: "a" })), user(response("grep", { id: "b" }))),
    "has the name and id of a function call",
  ],
  [
    "a response that is text",
    chat(user(text()), model(call()), user(response("grep", { response: "x" }))),
    "functionResponse.response' (TYPE_MESSAGE)",
  ],
  [
    "an instruction that is an image",
    body({ systemInstruction: { parts: [{ inlineData: { mimeType: "image/png", data: "" } }] } }),
    "system_instruction.parts: must be text",
  ],
  [
    "a function name that begins with a digit",
    withFunction({ name: "1a" }),
    "Invalid function name",
  ],
  [
    "two functions of one name",
    body({ tools: [{ functionDeclarations: [{ name: "a" }, { name: "a" }] }] }),
    "Duplicate function declaration",
  ],
  [
    "JSON Schema where the API has its own",
    withFunction({ name: "a", parameters: { type: "OBJECT", additionalProperties: false } }),
    "Unknown name \"additionalProperties\" at 'tools[0].functionDeclarations[0].parameters'",
  ],
  [
    "a list of types",
    withFunction({ name: "a", parameters: { type: ["string", "null"] } }),
    "parameters.type' (TYPE_STRING)",
  ],
  [
    "an array of nothing",
    withFunction({
      name: "a",
      parameters: { type: "object", properties: { b: { type: "array" } } },
    }),
    "properties.b.items: required field is missing",
  ],
  [
    "both kinds of schema",
    withFunction({ name: "a", parameters: { type: "OBJECT" }, parametersJsonSchema: {} }),
    "only one of parameters and parameters_json_schema",
  ],
  [
    "a demand for a call without functions",
    body({ tools: undefined, toolConfig: { functionCallingConfig: { mode: "ANY" } } }),
    "Function calling config is set without function_declarations",
  ],
  [
    "allowed names where nothing is demanded",
    calling({ mode: "AUTO", allowedFunctionNames: ["grep"] }),
    "only when function calling mode is ANY",
  ],
  [
    "an allowed name that is not declared",
    calling({ mode: "ANY", allowedFunctionNames: ["nope"] }),
    "nope is not declared",
  ],
  ["a temperature of 3", body({ generationConfig: { temperature: 3 } }), "temperature value of 3"],
  [
    "six stop sequences",
    body({ generationConfig: { stopSequences: [..."abcdef"] } }),
    "stopSequences: at most 5 are allowed, got 6",
  ],
  [
    "a budget beside a level",
    body({ generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } } }),
    "only one of thinking budget and thinking level",
  ],
  ["broken JSON", Buffer.from("{"), "Invalid JSON payload received"],
];

test.each(malformed)("%s is refused with 400 in the provider's shape", (_, given, message) => {
  const reply = send(given);
  expect(reply.status).toBe(400);
  expect(readReply(reply)).toMatchObject({
    error: {
      code: 400,
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    },
  });
});

const wellFormed: readonly (readonly [name: string, body: unknown])[] = [
  ["null where a field may be absent", body({ safetySettings: null, toolConfig: null })],
  ["a content without a role", chat({ parts: [text()] })],
  [
    "neighbours of one role",
    chat(user(text()), user(text()), model(text()), model(text()), user(text())),
  ],
  [
    "responses in another order than their calls",
    chat(
      user(text()),
      model(call("grep", { id: "a" }), call("read_file", { id: "b" })),
      user(response("read_file", { id: "b" }), response("grep", { id: "a" })),
    ),
  ],
  ["text behind the responses", chat(user(text()), model(call()), user(response()), user(text()))],
  [
    "a schema of the API",
    withFunction({
      name: "a.b:c-d",
      parameters: {
        type: "OBJECT",
        properties: { b: { type: "array", items: { type: "STRING" } } },
      },
    }),
  ],
  ["a hosted tool", body({ tools: [{ googleSearch: {} }] })],
  ["thoughts of its own", chat(user(text()), model({ text: "hm", thought: true }), user(text()))],
];

test.each(wellFormed)("%s is accepted", (_, given) => {
  expect(readReply(send(given))).toMatchObject({ candidates: [{ finishReason: "STOP" }] });
});

describe("thought signatures", () => {
  const question = user({ text: 'Where is "x"?' });

  function answered(): { readonly functionCall: Fields; readonly thoughtSignature: string } {
    const [candidate] = readReply(send(chat(question)))["candidates"] as unknown as [
      { content: { parts: { functionCall: Fields; thoughtSignature: string }[] } },
    ];
    const made = candidate.content.parts.find((part) => "functionCall" in part);
    if (made === undefined) throw new Error("no call");
    return made;
  }

  test("have to come back with the call that they came with", () => {
    const { functionCall, thoughtSignature } = answered();
    const sendBack = (part: unknown): WireReply =>
      send(chat(question, model(part), user(response())));
    expect(sendBack({ functionCall, thoughtSignature }).status).toBe(200);
    expect(readReply(sendBack({ functionCall }))).toMatchObject({
      error: { message: expect.stringContaining("missing a thought_signature") },
    });
    const changed = { ...functionCall, args: { pattern: "y" } };
    expect(readReply(sendBack({ functionCall: changed, thoughtSignature }))).toMatchObject({
      error: { message: "Corrupted thought signature." },
    });
    const restored = { functionCall: changed, thoughtSignature: STAND_IN };
    expect(sendBack(restored).status).toBe(200);
  });

  test("are asked for on the first call of each step of the current turn only", () => {
    const bare = { functionCall: { name: "grep", args: {} } };
    const earlier = [question, model(bare), user(response()), model(text()), user(text())];
    expect(send(chat(...earlier)).status).toBe(200);
    const steps = [...earlier, model(call(), bare), user(response(), response())];
    expect(send(chat(...steps)).status).toBe(200);
    expect(send(chat(...steps, model(bare), user(response()))).status).toBe(400);
  });

  test("are not asked for by models that had none", () => {
    const bare = { functionCall: { name: "grep", args: {} } };
    const path = "/v1beta/models/gemini-2.5-flash:generateContent";
    const given = chat(question, model(bare), user(response()));
    expect(sendTo(geminiWire, spoken, given, { path }).status).toBe(200);
  });

  test("of a text are taken back too, if they are real", () => {
    const [candidate] = readReply(send(chat(user(text("Hello!")))))["candidates"] as unknown as [
      { content: { parts: { text: string; thoughtSignature: string }[] } },
    ];
    const [said] = candidate.content.parts;
    expect(said?.thoughtSignature).toMatch(/.{80}/);
    expect(send(chat(question, model(said), user(text()))).status).toBe(200);
    const forged = { text: said?.text, thoughtSignature: "forged" };
    expect(send(chat(question, model(forged), user(text()))).status).toBe(400);
  });
});

test.each([
  ["no key", undefined, 403, { status: "PERMISSION_DENIED" }],
  [
    "a refused key",
    "bad-key",
    400,
    { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] },
  ],
])("%s is refused", (_, key, status, error) => {
  const reply = sendTo(geminiWire, spoken, body(), { headers: { "x-goog-api-key": key } });
  expect(reply.status).toBe(status);
  expect(readReply(reply)).toMatchObject({ error });
});

test("a key may stand in the address", () => {
  const options = {
    path: "/v1beta/models/scripted:generateContent?key=k",
    headers: { "x-goog-api-key": undefined },
  };
  expect(sendTo(geminiWire, spoken, body(), options).status).toBe(200);
});

test("another method or a cache of somebody's is not found", () => {
  const counted = sendTo(geminiWire, spoken, body(), {
    path: "/v1beta/models/scripted:countTokens",
  });
  expect(counted.status).toBe(404);
  expect(readReply(counted)).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
  const cached = send(body({ cachedContent: "cachedContents/x" }));
  expect(cached.status).toBe(403);
});

test.each([
  ["NONE", { mode: "NONE" }, []],
  ["ANY", { mode: "ANY" }, ["read_file", "grep", "list_dir"]],
  ["ANY of some names", { mode: "ANY", allowedFunctionNames: ["grep"] }, ["grep"]],
])("the mode %s is followed", (_, config, names) => {
  const given = { ...calling(config), contents: [user(text("Hello milk!"))] };
  const [candidate] = readReply(send(given))["candidates"] as unknown as [
    { content: { parts: { functionCall?: { name: string } }[] } },
  ];
  const called = candidate.content.parts.flatMap((part) => part.functionCall?.name ?? []);
  expect(called).toHaveLength(Math.min(1, names.length));
  expect(called.every((name) => names.includes(name))).toBe(true);
});

test("an answer that is longer than its limit is cut and says so", () => {
  const given = { ...chat(user(text("Hello!"))), generationConfig: { maxOutputTokens: 5 } };
  expect(readReply(send(given))).toMatchObject({
    candidates: [
      { finishReason: "MAX_TOKENS", content: { parts: [{ text: "I am a scripted mode" }] } },
    ],
    usageMetadata: { candidatesTokenCount: 5 },
  });
});

test("a long prefix is read from the cache by the next request", () => {
  const cache = new PromptCache();
  const given = body({ systemInstruction: { parts: [{ text: "rule ".repeat(2000) }] } });
  expect(readReply(send(given, cache))["usageMetadata"]).not.toHaveProperty(
    "cachedContentTokenCount",
  );
  expect(readReply(send(given, cache))).toMatchObject({
    usageMetadata: { cachedContentTokenCount: expect.toSatisfy((count: number) => count > 2400) },
  });
});

test("without alt=sse the stream is one list, and so is its error", () => {
  const path = "/v1beta/models/scripted:streamGenerateContent";
  const list: unknown = readReply(sendTo(geminiWire, spoken, body(), { path }));
  expect(list).toEqual(
    expect.arrayContaining([expect.objectContaining({ modelVersion: "scripted" })]),
  );
  const refused: unknown = readReply(sendTo(geminiWire, spoken, {}, { path }));
  expect(refused).toEqual([expect.objectContaining({ error: expect.anything() })]);
});

test("the counts grow with each chunk", () => {
  const reply = sendTo(geminiWire, spoken, body(), { mode: "stream" });
  const counts = spoken.parseStream(Buffer.from(reply.body).toString()).map((chunk) => {
    const { usageMetadata } = chunk as { usageMetadata: { totalTokenCount: number } };
    return usageMetadata.totalTokenCount;
  });
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? Infinity);
});
