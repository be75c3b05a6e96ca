import {
  call,
  hasSharedData,
  opaque,
  requestJudge,
  result,
  said,
  skippedWhen,
  thought,
  tool,
  user,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Item, JsonSchema } from "llm-worker";
import { describe, expect, test } from "vitest";
import { chatBody, MODEL } from "../../test/requests.js";
import { OpenAIChatScheme } from "./scheme.js";

describe("the body", () => {
  test("says what is the same from turn to turn first, then what may change", () => {
    const generation = { maxOutputTokens: 10, stopSequences: ["x"], toolChoice: "auto" } as const;
    expect(Object.keys(chatBody({ tools: [tool], generation }))).toEqual([
      "model",
      "tools",
      "messages",
      "stream",
      "stream_options",
      "max_completion_tokens",
      "stop",
      "tool_choice",
    ]);
  });

  test("C10: has nothing that was not asked for", () => {
    expect(chatBody({})).toEqual({
      model: MODEL,
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("C10: names the limit and the system prompt as the server wants them", () => {
    const generation = { maxOutputTokens: 10 };
    expect(chatBody({ generation })).toMatchObject({ max_completion_tokens: 10 });
    const body = chatBody(
      { systemPrompt: "Be brief.", generation },
      { maxTokensField: "max_tokens", systemRole: "developer", streamUsage: "off" },
    );
    expect(body).toMatchObject({
      messages: [{ role: "developer", content: "Be brief." }, {}],
      max_tokens: 10,
    });
    expect(body).not.toHaveProperty("max_completion_tokens");
    expect(body).not.toHaveProperty("stream_options");
  });

  test("takes the request's limit before the provider's, and extra fields over all", () => {
    expect(chatBody({}, { maxOutputTokens: 7 })).toMatchObject({ max_completion_tokens: 7 });
    const options = { maxOutputTokens: 7, extraBody: { service_tier: "flex", stream: false } };
    expect(chatBody({ generation: { maxOutputTokens: 5 } }, options)).toMatchObject({
      max_completion_tokens: 5,
      service_tier: "flex",
      stream: false,
    });
  });

  test.each([
    [{ toolChoice: "auto" }, "auto"],
    [{ toolChoice: "required" }, "required"],
    [{ toolChoice: "none" }, "none"],
    [{ toolChoice: { name: "add" } }, { type: "function", function: { name: "add" } }],
    [{}, undefined],
  ] as const)("says %o as %o, if there are tools", (generation, expected) => {
    expect(chatBody({ tools: [tool], generation })["tool_choice"]).toEqual(expected);
    expect(chatBody({ generation })["tool_choice"]).toBeUndefined();
  });

  test("says that calls come one by one, if there are tools", () => {
    const generation = { parallelToolCalls: false };
    expect(chatBody({ tools: [tool], generation })["parallel_tool_calls"]).toBe(false);
    expect(chatBody({ generation })).not.toHaveProperty("parallel_tool_calls");
  });

  test("goes to the path under the version", () => {
    const scheme = new OpenAIChatScheme({ model: MODEL });
    expect(scheme.buildRequest({ tools: [], items: [user("x")] })).toMatchObject({
      path: "/chat/completions",
      headers: {},
    });
  });
});

describe("schemas", () => {
  const strictTool = { ...tool, inputSchema: { ...tool.inputSchema, required: ["a"] } };

  test("of tools are strict where asked for, by name or all", () => {
    const other = { ...tool, name: "other" };
    const body = chatBody({ tools: [strictTool, other] }, { strictTools: ["add"] });
    expect(body["tools"]).toMatchObject([
      { function: { strict: true, parameters: { additionalProperties: false } } },
      { function: { name: "other", parameters: tool.inputSchema } },
    ]);
    expect(chatBody({ tools: [strictTool] }, { strictTools: "all" })["tools"]).toMatchObject([
      { function: { strict: true } },
    ]);
  });

  test("of tools that cannot be strict are refused with the way out", () => {
    expect(() => chatBody({ tools: [tool] }, { strictTools: "all" })).toThrow(
      'the input schema of tool "add" cannot be strict: at its root, property "a" is optional',
    );
  });

  test.each<JsonSchema>([{ type: "string" }, { $ref: "#/$defs/a" }, { anyOf: [] }])(
    "of tools whose root is %o are refused",
    (inputSchema) => {
      expect(() => chatBody({ tools: [{ ...tool, inputSchema }] })).toThrow(
        'input schema of tool "add"',
      );
    },
  );

  test("of the answer are strict, or loose if the caller says so", () => {
    const outputSchema: JsonSchema = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
    };
    expect(chatBody({ generation: { outputSchema } })["response_format"]).toEqual({
      type: "json_schema",
      json_schema: {
        name: "output",
        schema: { ...outputSchema, additionalProperties: false },
        strict: true,
      },
    });
    const { required: _all, ...loose } = outputSchema;
    const generation = { outputSchema: loose };
    expect(() => chatBody({ generation })).toThrow('outputSchemaMode "loose"');
    expect(chatBody({ generation }, { outputSchemaMode: "loose" })["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "output", schema: loose, strict: false },
    });
  });
});

test("a history without anything to say is refused", () => {
  expect(() => chatBody({ items: [] })).toThrow("no message");
  expect(() => chatBody({ items: [user("")] })).toThrow("no message");
});

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", " ", "x"));
const anyId = fc.constantFrom("1", "2", "a/b", "", "x".repeat(50));
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map((text) => user(text)),
  anyText.map((text) => said(text)),
  fc.tuple(anyId, anyText).map(([id, text]) => call(id, text)),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(
    thought("anthropic", MODEL, { type: "thinking", signature: "c2ln" }),
    thought("openai-responses", MODEL, { type: "reasoning", id: "rs_1" }),
    opaque("openai-responses", MODEL, { type: "web_search_call", id: "ws_1" }),
  ),
);

test("half a character in any text is replaced, so that the request stays valid", () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 10 }), (items) => {
      const scheme = new OpenAIChatScheme({ model: MODEL });
      const request = { tools: [], items: [user("a\ud83d"), ...items] };
      const body = String(scheme.buildRequest(request).body);
      expect(body.isWellFormed()).toBe(true);
      const halves = /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])/;
      expect(body.replaceAll("\\\\", "")).not.toMatch(halves);
    }),
  );
});

describe.skipIf(!hasSharedData)(`the judge of requests${skippedWhen}`, () => {
  test("finds no fault with any history", async () => {
    const judge = await requestJudge("openai-chat");
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 25 }), (items) => {
        const request = { items: [user("x"), ...items], tools: [tool], systemPrompt: "s" };
        expect(judge(chatBody(request)).errors).toEqual([]);
      }),
    );
  });
});
