import {
  call,
  hasSharedData,
  type Json,
  requestJudge,
  result,
  said,
  skippedWhen,
  tool,
  user,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Item } from "llm-worker";
import { describe, expect, test } from "vitest";
import {
  bodyOf,
  bodyText,
  MODEL,
  OLD_MODEL,
  opaque,
  ownCall,
  signedText,
  thought,
} from "../test/history.js";
import { GeminiScheme } from "./scheme.js";

describe("the body", () => {
  test("says what is the same from turn to turn first, then what may change", () => {
    const generation = { maxOutputTokens: 10, toolChoice: "auto" } as const;
    const body = bodyOf({ systemPrompt: "Be brief.", tools: [tool], generation });
    expect(Object.keys(body)).toEqual([
      "systemInstruction",
      "tools",
      "contents",
      "toolConfig",
      "generationConfig",
    ]);
  });

  test("has nothing that was not asked for", () => {
    expect(bodyOf({})).toEqual({ contents: [{ role: "user", parts: [{ text: "hi" }] }] });
    expect(bodyOf({ systemPrompt: " \n" })).not.toHaveProperty("systemInstruction");
  });

  test("takes the request's limit before the provider's", () => {
    expect(bodyOf({}, { maxOutputTokens: 7 })["generationConfig"]).toEqual({ maxOutputTokens: 7 });
    const generation = { maxOutputTokens: 5, temperature: 0, topP: 0.5, stopSequences: ["x"] };
    expect(bodyOf({ generation }, { maxOutputTokens: 7 })["generationConfig"]).toEqual(generation);
  });

  test("asks for JSON of a schema", () => {
    const outputSchema = {
      $schema: "x",
      type: "array",
      items: { $ref: "#/$defs/a" },
      $defs: { a: {} },
    };
    expect(bodyOf({ generation: { outputSchema } })["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: { type: "array", items: {} },
    });
  });

  test.each([
    [{ level: "low" }, { thinkingLevel: "LOW" }],
    [
      { budgetTokens: 0, includeThoughts: true },
      { thinkingBudget: 0, includeThoughts: true },
    ],
  ] as const)("says the thinking %o as %o", (thinking, thinkingConfig) => {
    expect(bodyOf({}, { thinking })["generationConfig"]).toEqual({ thinkingConfig });
  });

  test.each([
    ["auto", "auto", { mode: "AUTO" }],
    ["auto", "validated", { mode: "VALIDATED" }],
    [undefined, "validated", { mode: "VALIDATED" }],
    [undefined, "auto", undefined],
    ["required", "validated", { mode: "ANY" }],
    ["none", undefined, { mode: "NONE" }],
    [{ name: "add" }, undefined, { mode: "ANY", allowedFunctionNames: ["add"] }],
  ] as const)("says the tool choice %o in mode %s as %o", (toolChoice, toolMode, expected) => {
    const generation = { toolChoice };
    const said = expected === undefined ? undefined : { functionCallingConfig: expected };
    expect(bodyOf({ tools: [tool], generation }, { toolMode })["toolConfig"]).toEqual(said);
    expect(bodyOf({ generation }, { toolMode })["toolConfig"]).toBeUndefined();
  });

  test("adds further tools and settings to ours, and puts other fields over ours", () => {
    const extraBody = {
      tools: [{ googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
      generationConfig: { seed: 1, temperature: 1 },
      systemInstruction: { parts: [{ text: "Yours." }] },
      safetySettings: [],
    };
    const generation = { temperature: 0, topP: 0.5, toolChoice: "auto" } as const;
    expect(bodyOf({ systemPrompt: "s", tools: [tool], generation }, { extraBody })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "add" }] }, { googleSearch: {} }],
      toolConfig: {
        functionCallingConfig: { mode: "AUTO" },
        includeServerSideToolInvocations: true,
      },
      generationConfig: { seed: 1, temperature: 1, topP: 0.5 },
      systemInstruction: { parts: [{ text: "Yours." }] },
      safetySettings: [],
    });
    expect(bodyOf({}, { extraBody })["tools"]).toEqual([{ googleSearch: {} }]);
  });

  test("names a cached content instead of what is in it", () => {
    const body = bodyOf(
      { systemPrompt: "s", tools: [tool] },
      { cachedContent: "cachedContents/x" },
    );
    expect(Object.keys(body)).toEqual(["contents", "cachedContent"]);
  });
});

describe("G17: the path", () => {
  const pathOf = (model: string, apiVersion?: string): string =>
    new GeminiScheme({ model, apiVersion }).buildRequest({ tools: [], items: [user("a")] }).path;

  test("names the model and asks for events", () => {
    expect(pathOf("gemini-x")).toBe("/v1beta/models/gemini-x:streamGenerateContent?alt=sse");
    expect(pathOf("a b?")).toBe("/v1beta/models/a%20b%3F:streamGenerateContent?alt=sse");
  });

  test("takes whole resource names and other versions", () => {
    expect(pathOf("tunedModels/x")).toBe("/v1beta/tunedModels/x:streamGenerateContent?alt=sse");
    const model = "projects/p/locations/global/publishers/google/models/m";
    expect(pathOf(model, "v1")).toBe(`/v1/${model}:streamGenerateContent?alt=sse`);
  });
});

describe("what this wire cannot say is refused with the way out", () => {
  test("no message at all", () => {
    expect(() => bodyOf({ items: [] })).toThrow("no message");
    expect(() => bodyOf({ items: [user(" \n")] })).toThrow("no message");
  });

  test("a thinking level together with a budget", () => {
    expect(() => bodyOf({}, { thinking: { level: "low", budgetTokens: 1 } })).toThrow(
      "one of them",
    );
  });

  test("a tool choice beside a cached content", () => {
    const options = { cachedContent: "cachedContents/x" };
    expect(() => bodyOf({ generation: { toolChoice: "none" } }, options)).toThrow("cachedContent");
    expect(() => bodyOf({}, { ...options, toolMode: "validated" })).toThrow("cachedContent");
  });
});

test("half a character in any text is replaced, so that the request stays valid", () => {
  const half = "ab\ud83d cd";
  const text = bodyText({
    systemPrompt: half,
    items: [
      user(half),
      said(half),
      signedText(half, "YQ=="),
      call("1", `{"a":"${half}"}`),
      result("1", half),
    ],
  });
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/\\ud83d/i);
  expect(text.match(/ab\uFFFD cd/g)).toHaveLength(6);
});

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", " ", "x"));
const anyId = fc.constantFrom("1", "2", "a/b", "");
const serverCall = { toolCall: { id: "s1" }, thoughtSignature: "YQ==" };
const serverResponse = { toolResponse: { id: "s1" } };
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map((text) => user(text)),
  anyText.map((text) => said(text)),
  anyText.map((text) => signedText(text, "YQ==")),
  fc.tuple(anyId, anyText).map(([id, text]) => call(id, text)),
  anyId.map((id) => ownCall(id, { thoughtSignature: "YQ==", id })),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(thought({ thoughtSignature: "YQ==" }), thought({}, "m", "anthropic")),
  fc.constantFrom(opaque(serverCall), opaque(serverResponse), opaque({ type: "x" }, "m", "other")),
);

describe.skipIf(!hasSharedData)(`the judge of requests${skippedWhen}`, () => {
  test("finds no fault with any history", async () => {
    const judge = await requestJudge("gemini");
    fc.assert(
      fc.property(
        fc.array(anyItem, { maxLength: 25 }),
        fc.constantFrom(MODEL, OLD_MODEL),
        (items, model) => {
          const request = { items: [user("x"), ...items], tools: [tool], systemPrompt: "s" };
          const verdict = judge(bodyOf(request, { model }), { model });
          expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [] });
        },
      ),
    );
  });

  test("finds no fault with any setting", async () => {
    const judge = await requestJudge("gemini");
    const generation = {
      maxOutputTokens: 10,
      temperature: 1,
      topP: 0.5,
      stopSequences: ["x"],
      toolChoice: { name: "add" },
      outputSchema: { type: "object" },
    };
    const thinking = { level: "minimal", includeThoughts: true } as const;
    const extraBody = { tools: [{ codeExecution: {} }], serviceTier: "flex" };
    const body: Json = bodyOf({ tools: [tool], generation }, { thinking, extraBody });
    expect(judge(body, { model: MODEL })).toMatchObject({ valid: true, errors: [], warnings: [] });
  });
});
