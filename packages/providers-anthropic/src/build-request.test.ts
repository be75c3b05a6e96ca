import {
  call,
  hasSharedData,
  requestJudge,
  result,
  said,
  skippedWhen,
  tool,
  user,
} from "@llm-worker/wire-testing";
import fc from "fast-check";
import type { Item, ToolDefinition } from "llm-worker";
import { describe, expect, test } from "vitest";
import { bodyOf, bodyText, MODEL, opaque, thought } from "../test/history.js";
import { DEFAULT_MAX_OUTPUT_TOKENS } from "./build-request.js";
import { AnthropicScheme } from "./scheme.js";

describe("the body", () => {
  test("says what is the same from turn to turn first, then what may change", () => {
    const generation = { maxOutputTokens: 10, stopSequences: ["x"], toolChoice: "auto" } as const;
    const body = bodyOf({ systemPrompt: "Be brief.", tools: [tool], generation });
    expect(Object.keys(body)).toEqual([
      "model",
      "tools",
      "system",
      "messages",
      "max_tokens",
      "stream",
      "stop_sequences",
      "tool_choice",
    ]);
  });

  test("has nothing that was not asked for but the limit that the wire wants", () => {
    expect(bodyOf({}, { cache: "off" })).toEqual({
      model: MODEL,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      max_tokens: DEFAULT_MAX_OUTPUT_TOKENS,
      stream: true,
    });
  });

  test("takes the request's limit before the provider's", () => {
    expect(bodyOf({}, { maxOutputTokens: 7 })["max_tokens"]).toBe(7);
    const generation = { maxOutputTokens: 5 };
    expect(bodyOf({ generation }, { maxOutputTokens: 7 })["max_tokens"]).toBe(5);
  });

  test("puts effort and schema into output_config, and extra fields over all", () => {
    const outputSchema = { type: "object" };
    const options = { effort: "low", extraBody: { max_tokens: 3, service_tier: "auto" } } as const;
    expect(bodyOf({ generation: { outputSchema } }, options)).toMatchObject({
      output_config: { effort: "low", format: { type: "json_schema", schema: outputSchema } },
      max_tokens: 3,
      service_tier: "auto",
    });
  });

  test.each([
    [{ toolChoice: "auto" }, { type: "auto" }],
    [{ toolChoice: "required" }, { type: "any" }],
    [{ toolChoice: "none", parallelToolCalls: false }, { type: "none" }],
    [{ toolChoice: { name: "add" } }, { type: "tool", name: "add" }],
    [{ parallelToolCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
    [
      { toolChoice: "auto", parallelToolCalls: false },
      { type: "auto", disable_parallel_tool_use: true },
    ],
    [
      { toolChoice: "required", parallelToolCalls: false },
      { type: "any", disable_parallel_tool_use: true },
    ],
    [
      { toolChoice: { name: "add" }, parallelToolCalls: false },
      { type: "tool", name: "add", disable_parallel_tool_use: true },
    ],
    [{}, undefined],
  ] as const)("says %o as %o", (generation, expected) => {
    expect(bodyOf({ tools: [tool], generation })["tool_choice"]).toEqual(expected);
    expect(bodyOf({ generation })["tool_choice"]).toBeUndefined();
  });

  test("names version and betas in headers", () => {
    const scheme = new AnthropicScheme({ model: MODEL, betas: ["a", "b"] });
    expect(scheme.buildRequest({ tools: [], items: [user("x")] })).toMatchObject({
      path: "/v1/messages",
      headers: { "anthropic-version": "2026-10-21", "anthropic-beta": "a,b" },
    });
    const older = new AnthropicScheme({ model: MODEL, version: "2023-06-01", betas: [] });
    expect(older.buildRequest({ tools: [], items: [user("x")] }).headers).toEqual({
      "anthropic-version": "2023-06-01",
    });
  });
});

describe("what this wire cannot say is refused with the way out", () => {
  test("A10: sampling parameters under the current version", () => {
    const generation = { temperature: 0.5, topP: 0.9 };
    expect(() => bodyOf({ generation })).toThrow('set version: "2023-06-01"');
    expect(bodyOf({ generation }, { version: "2023-06-01" })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
    });
  });

  test("A9: a thinking budget that is too small or not below the limit", () => {
    const thinking = (budgetTokens: number) => ({ type: "enabled", budgetTokens }) as const;
    expect(() => bodyOf({}, { thinking: thinking(1000) })).toThrow("at least 1024");
    expect(() => bodyOf({}, { thinking: thinking(5000), maxOutputTokens: 5000 })).toThrow("below");
    expect(bodyOf({}, { thinking: thinking(2000) })["thinking"]).toEqual({
      type: "enabled",
      budget_tokens: 2000,
    });
    expect(bodyOf({}, { thinking: { type: "adaptive", display: "omitted" } })["thinking"]).toEqual({
      type: "adaptive",
      display: "omitted",
    });
  });

  test("A8: a forced tool call with manual thinking", () => {
    const thinking = { type: "enabled", budgetTokens: 2000 } as const;
    const request = { tools: [tool], generation: { toolChoice: "required" } } as const;
    expect(() => bodyOf(request, { thinking })).toThrow("cannot be forced");
    const named = { tools: [tool], generation: { toolChoice: { name: tool.name } } };
    expect(() => bodyOf(named, { thinking })).toThrow("cannot be forced");
    expect(bodyOf({ ...named, tools: [] }, { thinking })).not.toHaveProperty("tool_choice");
    expect(bodyOf(request, { thinking: { type: "adaptive" } })["tool_choice"]).toEqual({
      type: "any",
    });
  });

  test("A21: a tool schema whose root is not a plain object", () => {
    const withSchema = (inputSchema: ToolDefinition["inputSchema"]) => ({
      tools: [{ ...tool, inputSchema }],
    });
    for (const schema of [{ type: "string" }, { $ref: "#/$defs/a" }, { anyOf: [] }]) {
      expect(() => bodyOf(withSchema(schema))).toThrow('input schema of tool "add"');
    }
    expect(bodyOf(withSchema({ properties: {} }))["tools"]).toMatchObject([
      { input_schema: { type: "object", properties: {} } },
    ]);
  });

  test("no message at all", () => {
    expect(() => bodyOf({ items: [] })).toThrow("no message");
    expect(() => bodyOf({ items: [user(" \n")] })).toThrow("no message");
  });
});

test("half a character in any text is replaced, so that the request stays valid", () => {
  const half = "ab\ud83d cd";
  const text = bodyText({
    systemPrompt: half,
    items: [user(half), said(half), call("1", `{"a":"${half}"}`), result("1", half)],
  });
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/\\ud83d/i);
  expect(text.match(/ab\uFFFD cd/g)).toHaveLength(5);
});

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", " ", "x"));
const anyId = fc.constantFrom("1", "2", "a/b", "");
const serverUse = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
const serverResult = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  anyText.map((text) => user(text)),
  anyText.map((text) => said(text)),
  fc.tuple(anyId, anyText).map(([id, text]) => call(id, text)),
  fc.tuple(anyId, anyText, fc.boolean()).map(([id, text, isError]) => result(id, text, isError)),
  fc.constantFrom(thought("c2ln"), thought("c2ln", "claude-other")),
  fc.constantFrom(opaque(serverUse), opaque(serverResult), opaque({ type: "x" }, "gemini")),
);

describe.skipIf(!hasSharedData)(`the judge of requests${skippedWhen}`, () => {
  test("finds no fault with any history", async () => {
    const judge = await requestJudge("anthropic");
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 25 }), fc.nat(25), (items, lockedItemCount) => {
        const request = { items: [user("x"), ...items], tools: [tool], systemPrompt: "s" };
        expect(judge(bodyOf({ ...request, lockedItemCount })).errors).toEqual([]);
      }),
    );
  });
});
