import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject } from "../src/json.js";
import { type ScriptedModel, startScriptedModel } from "../src/server.js";
import { postTo, type TestWire, testWires } from "./support/test-wires.js";

const shared =
  process.env["LLM_WORKER_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const validatorPath = join(shared, "wire-schemas", "wire-validate.mjs");

interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly unknown[];
}

/** The part of wire-validate that is used here. */
interface Validator {
  readonly validateRequest: (
    provider: string,
    body: unknown,
    options: { readonly model: string },
  ) => Verdict;
  readonly validateStream: (
    provider: string,
    events: unknown[],
    options: { readonly strict: boolean },
  ) => Verdict;
  readonly validateResponse: (
    provider: string,
    body: unknown,
    options: { readonly strict: boolean },
  ) => Verdict;
}

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

type Fields = Readonly<Record<string, unknown>>;
type Case = readonly [wire: TestWire, what: string, fields: Fields];

const { anthropic, openaiChat, openaiResponses, gemini, ollama } = testWires;
const question = 'Where is "x"?';
const twoFiles = "Compare a.txt and b.txt";
const found = "a.ts:1: 日本 x";
const longText = "rule ".repeat(2000);

const cases: readonly Case[] = [
  [anthropic, "text and a call", {}],
  [
    anthropic,
    "an answer",
    {
      messages: [
        { role: "user", content: question },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t", name: "grep", input: { pattern: "x" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: found }] },
      ],
    },
  ],
  [anthropic, "thinking", { thinking: { type: "adaptive" } }],
  [anthropic, "omitted thinking", { thinking: { type: "adaptive", display: "omitted" } }],
  [anthropic, "a cut answer", { max_tokens: 3 }],
  [
    anthropic,
    "a cached prompt",
    { system: longText, cache_control: { type: "ephemeral", ttl: "1h" } },
  ],
  [anthropic, "two calls", { messages: [{ role: "user", content: twoFiles }] }],

  [openaiChat, "text and a call", {}],
  [
    openaiChat,
    "an answer",
    {
      messages: [
        { role: "user", content: question },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "t", type: "function", function: { name: "grep", arguments: '{"pattern":"x"}' } },
          ],
        },
        { role: "tool", tool_call_id: "t", content: found },
      ],
    },
  ],
  [openaiChat, "reasoning", { reasoning_effort: "low" }],
  [
    openaiChat,
    "a cut answer",
    { max_completion_tokens: 3, messages: [{ role: "user", content: "Hello!" }] },
  ],
  [
    openaiChat,
    "a long prompt",
    {
      messages: [
        { role: "developer", content: longText },
        { role: "user", content: question },
      ],
    },
  ],
  [openaiChat, "two calls", { messages: [{ role: "user", content: twoFiles }] }],

  [openaiResponses, "text and a call", {}],
  [
    openaiResponses,
    "an answer",
    {
      input: [
        { role: "user", content: question },
        { type: "function_call", call_id: "t", name: "grep", arguments: '{"pattern":"x"}' },
        { type: "function_call_output", call_id: "t", output: found },
      ],
    },
  ],
  [
    openaiResponses,
    "sealed reasoning with a summary",
    {
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low", summary: "auto" },
    },
  ],
  [openaiResponses, "reasoning without a summary", { reasoning: { effort: "low" } }],
  [openaiResponses, "a cut answer", { max_output_tokens: 16, input: "Hello!" }],
  [openaiResponses, "a long prompt", { instructions: longText }],
  [openaiResponses, "two calls", { input: twoFiles }],

  [gemini, "text and a call", {}],
  [
    gemini,
    "an answer",
    {
      contents: [
        { role: "user", parts: [{ text: question }] },
        {
          role: "model",
          parts: [
            {
              functionCall: { name: "grep", args: { pattern: "x" } },
              thoughtSignature: "skip_thought_signature_validator",
            },
          ],
        },
        {
          role: "user",
          parts: [{ functionResponse: { name: "grep", response: { output: found } } }],
        },
      ],
    },
  ],
  [
    gemini,
    "thoughts",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" } } },
  ],
  [
    gemini,
    "a cut answer",
    {
      generationConfig: { maxOutputTokens: 3 },
      contents: [{ role: "user", parts: [{ text: "Hello!" }] }],
    },
  ],
  [gemini, "a long prompt", { systemInstruction: { parts: [{ text: longText }] } }],
  [gemini, "two calls", { contents: [{ role: "user", parts: [{ text: twoFiles }] }] }],

  [ollama, "text and a call", {}],
  [
    ollama,
    "an answer",
    {
      messages: [
        { role: "user", content: question },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ function: { name: "grep", arguments: { pattern: "x" } } }],
        },
        { role: "tool", tool_name: "grep", content: found },
      ],
    },
  ],
  [ollama, "thinking", { think: "low" }],
  [
    ollama,
    "a cut answer",
    { options: { num_predict: 3 }, messages: [{ role: "user", content: "Hello!" }] },
  ],
  [ollama, "two calls", { messages: [{ role: "user", content: twoFiles }] }],
];

test
  .skipIf(!existsSync(validatorPath))
  .each(cases.map(([wire, what, fields]) => [wire.name, what, { wire, fields }] as const))(
  "%s: %s is what a current official server sends (needs the shared wire-validate)",
  async (_name, _what, { wire, fields }) => {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(validatorPath).href);
    expect(isObject(module)).toBe(true);
    // The file has no types; its functions are those above.
    const { validateRequest, validateStream, validateResponse } = module as Validator;
    const body = (mode: "stream" | "whole"): Fields => ({ ...wire.body(mode), ...fields });
    const options = { model: "gemini-3-pro" };
    expect(validateRequest(wire.validator, body("stream"), options).errors).toEqual([]);

    const stream = await postTo(wire, model.url, body("stream"), "stream");
    expect(stream.status).toBe(200);
    const events = wire.parseStream(await stream.text());
    expect(validateStream(wire.validator, events, { strict: true }).errors).toEqual([]);

    const document: unknown = await (await postTo(wire, model.url, body("whole"))).json();
    expect(validateResponse(wire.validator, document, { strict: true }).errors).toEqual([]);
  },
);
