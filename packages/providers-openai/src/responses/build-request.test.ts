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
import type { Item } from "llm-worker";
import { describe, expect, test } from "vitest";
import { MODEL, responsesBody } from "../../test/requests.js";
import { OpenAIResponsesScheme } from "./scheme.js";

describe("the body", () => {
  test("says what is the same from turn to turn first, then what may change", () => {
    const generation = { maxOutputTokens: 100, toolChoice: "auto" } as const;
    expect(
      Object.keys(responsesBody({ systemPrompt: "Be brief.", tools: [tool], generation })),
    ).toEqual([
      "model",
      "tools",
      "instructions",
      "input",
      "stream",
      "store",
      "include",
      "max_output_tokens",
      "tool_choice",
    ]);
  });

  test("R3: has nothing that was not asked for but that the server keeps nothing", () => {
    expect(responsesBody({})).toEqual({
      model: MODEL,
      input: [{ role: "user", content: [{ type: "input_text", text: "hi" }] }],
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(responsesBody({}, { store: "on", encryptedReasoning: "off" })).toMatchObject({
      store: true,
    });
  });

  test.each([
    ["gpt-5.2", true],
    ["o4-mini", true],
    ["gpt-4.1", false],
    ["gpt-4o-mini", false],
    ["ft:gpt-4.1:me::x", false],
  ])("asks %s for encrypted reasoning: %s", (model, asks) => {
    expect("include" in responsesBody({}, { model })).toBe(asks);
    expect("include" in responsesBody({}, { model, encryptedReasoning: "on" })).toBe(true);
    expect("include" in responsesBody({}, { model, encryptedReasoning: "off" })).toBe(false);
  });

  test("says how much is to be said, also where the answer has no schema", () => {
    expect(responsesBody({}, { verbosity: "low" })).toMatchObject({ text: { verbosity: "low" } });
  });

  test("takes the request's limit before the provider's, and extra fields over all", () => {
    expect(responsesBody({}, { maxOutputTokens: 70 })).toMatchObject({ max_output_tokens: 70 });
    const options = { maxOutputTokens: 70, extraBody: { store: true, service_tier: "flex" } };
    expect(responsesBody({ generation: { maxOutputTokens: 50 } }, options)).toMatchObject({
      max_output_tokens: 50,
      service_tier: "flex",
      store: true,
    });
  });

  test.each([
    [{ toolChoice: "auto" }, "auto"],
    [{ toolChoice: "required" }, "required"],
    [{ toolChoice: "none" }, "none"],
    [{ toolChoice: { name: "add" } }, { type: "function", name: "add" }],
    [{}, undefined],
  ] as const)("says %o as %o, if there are tools", (generation, expected) => {
    expect(responsesBody({ tools: [tool], generation })["tool_choice"]).toEqual(expected);
    expect(responsesBody({ generation })["tool_choice"]).toBeUndefined();
  });

  test("goes to the path under the version", () => {
    const scheme = new OpenAIResponsesScheme({ model: MODEL });
    expect(scheme.buildRequest({ tools: [], items: [user("x")] })).toMatchObject({
      path: "/responses",
      headers: {},
    });
  });
});

describe("tools", () => {
  test("say that they are not strict, as this API would make them so", () => {
    expect(responsesBody({ tools: [tool] })["tools"]).toEqual([
      {
        type: "function",
        name: "add",
        description: "Adds.",
        parameters: tool.inputSchema,
        strict: false,
      },
    ]);
  });

  test("are strict where asked for", () => {
    const strictTool = { ...tool, inputSchema: { ...tool.inputSchema, required: ["a"] } };
    const body = responsesBody({ tools: [strictTool] }, { strictTools: "all" });
    expect(body["tools"]).toMatchObject([
      { strict: true, parameters: { additionalProperties: false } },
    ]);
    expect(() => responsesBody({ tools: [tool] }, { strictTools: ["add"] })).toThrow(
      'property "a" is optional',
    );
  });
});

describe("what this wire cannot say is refused with the way out", () => {
  test("stop sequences", () => {
    const generation = { stopSequences: ["END"] };
    expect(() => responsesBody({ generation })).toThrow('use api "chat"');
  });

  test("no message at all", () => {
    expect(() => responsesBody({ items: [] })).toThrow("no message");
  });
});

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", " ", "x"));
const anyId = fc.constantFrom("1", "2", "a/b", "", "x".repeat(70));
const label = (data: object) => ({ scheme: "openai-responses", model: MODEL, data }) as const;
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map((text) => user(text)),
  anyText.map((text) => said(text)),
  fc.tuple(anyId, anyText).map(([id, text]) => call(id, text)),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom("msg_1", "msg_2", "chatcmpl-1").map(
    // Test data is JSON.
    (id) => ({ ...said("own"), providerData: label({ type: "message", id }) }) as Item,
  ),
  fc
    .constantFrom("fc_1", "fc_2", "call_1")
    .map((id) => ({ ...call("1"), providerData: label({ type: "function_call", id }) }) as Item),
  fc.constantFrom("rs_1", "rs_2", "chatcmpl-2").map((id) =>
    thought("openai-responses", MODEL, {
      type: "reasoning",
      id,
      summary: [],
      encrypted_content: "abc",
    }),
  ),
  fc.constantFrom(
    thought("openai-responses", MODEL, { type: "reasoning", id: "rs_3", summary: [] }),
    thought("anthropic", MODEL, { type: "thinking", signature: "c2ln" }),
    opaque("gemini", MODEL, { type: "x" }),
  ),
);

test("half a character in any text is replaced, so that the request stays valid", () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 10 }), (items) => {
      const scheme = new OpenAIResponsesScheme({ model: MODEL });
      const request = { tools: [], items: [user("a\ud83d"), ...items] };
      const body = String(scheme.buildRequest(request).body);
      expect(body.isWellFormed()).toBe(true);
      const halves = /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])/;
      expect(body.replaceAll("\\\\", "")).not.toMatch(halves);
    }),
  );
});

describe.skipIf(!hasSharedData)(`the judge of requests${skippedWhen}`, () => {
  test("finds no fault with any history, nor reasoning apart from what it was for", async () => {
    const judge = await requestJudge("openai-responses");
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 25 }), (items) => {
        const request = { items: [user("x"), ...items], tools: [tool], systemPrompt: "s" };
        const verdict = judge(responsesBody(request));
        expect(verdict.errors).toEqual([]);
        expect(verdict.warnings).toEqual([]);
      }),
    );
  });
});
