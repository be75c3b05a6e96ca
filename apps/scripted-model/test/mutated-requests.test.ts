import fc from "fast-check";
import { expect, test } from "vitest";
import { PromptCache } from "../src/prompt-cache.js";
import { anthropicWire } from "../src/wires/anthropic.js";
import { geminiWire } from "../src/wires/gemini.js";
import { ollamaWire } from "../src/wires/ollama.js";
import { openaiChatWire } from "../src/wires/openai-chat.js";
import { openaiResponsesWire } from "../src/wires/openai-responses.js";
import type { Wire } from "../src/wires/wire.js";
import { sendTo } from "./support/send.js";
import { type TestWire, testWires } from "./support/test-wires.js";

const question = 'Where is "x"?';
const input = { pattern: "x" };
const call = { id: "c", type: "function", function: { name: "grep", arguments: "{}" } };

/** A request with all that a conversation may hold. */
const conversations: readonly (readonly [string, Wire, TestWire, object])[] = [
  [
    "anthropic",
    anthropicWire,
    testWires.anthropic,
    {
      system: [{ type: "text", text: "be short", cache_control: { type: "ephemeral" } }],
      tool_choice: { type: "auto" },
      messages: [
        { role: "user", content: question },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "grep", input }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c", content: "x", is_error: true }],
        },
      ],
    },
  ],
  [
    "openai-chat",
    openaiChatWire,
    testWires.openaiChat,
    {
      tool_choice: "auto",
      stop: ["z"],
      reasoning_effort: "low",
      messages: [
        { role: "developer", content: "be short" },
        { role: "user", content: [{ type: "text", text: question }] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "x" },
      ],
    },
  ],
  [
    "openai-responses",
    openaiResponsesWire,
    testWires.openaiResponses,
    {
      store: false,
      reasoning: { effort: "low", summary: "auto" },
      input: [
        { role: "user", content: [{ type: "input_text", text: question }] },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAA" },
        { type: "function_call", id: "fc_1", call_id: "c", name: "grep", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "x" },
      ],
    },
  ],
  [
    "gemini",
    geminiWire,
    testWires.gemini,
    {
      systemInstruction: { parts: [{ text: "be short" }] },
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["grep"] } },
      generationConfig: { thinkingConfig: { includeThoughts: true }, stopSequences: ["z"] },
      contents: [
        { role: "user", parts: [{ text: question }] },
        {
          role: "model",
          parts: [
            {
              functionCall: { name: "grep", args: input, id: "a" },
              thoughtSignature: "skip_thought_signature_validator",
            },
          ],
        },
        {
          role: "user",
          parts: [{ functionResponse: { name: "grep", id: "a", response: { output: "x" } } }],
        },
      ],
    },
  ],
  [
    "ollama",
    ollamaWire,
    testWires.ollama,
    {
      think: "low",
      options: { num_predict: 100, stop: ["z"] },
      messages: [
        { role: "system", content: "be short" },
        { role: "user", content: question },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c", function: { name: "grep", arguments: input } }],
        },
        { role: "tool", tool_name: "grep", tool_call_id: "c", content: "x" },
      ],
    },
  ],
];

const RUNS = 400;

test.each(conversations)(
  "%s: a request that is changed anywhere is answered or refused, never a failure of the server",
  (_, wire, spoken, fields) => {
    const request = { ...spoken.body("whole"), ...fields };
    const places = placesOf(request);
    const mutation = fc.record({
      place: fc.constantFrom(...places),
      value: fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, ...places.map(at(request)))),
    });
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(mutations, fc.constantFrom("stream", "whole"), (changes, mode) => {
        const changed: unknown = structuredClone(request);
        for (const { place, value } of changes) put(changed, place, value);
        const reply = sendTo(wire, spoken, changed, { mode, cache: new PromptCache() });
        expect([200, 400, 403, 404]).toContain(reply.status);
      }),
      { numRuns: RUNS },
    );
  },
);

test("a tool that the provider runs is passed over, of whatever it consists", () => {
  const tools = [{ type: "string", input_schema: "ephemeral" }];
  const request = { ...testWires.anthropic.body("whole"), tools };
  const settings = { mode: "whole", cache: new PromptCache() } as const;
  expect(sendTo(anthropicWire, testWires.anthropic, request, settings).status).toBe(200);
});

type Place = readonly string[];

/** The way to every value inside a value. */
function placesOf(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    [key],
    ...placesOf(part).map((rest) => [key, ...rest]),
  ]);
}

function at(value: unknown): (place: Place) => unknown {
  return (place) => place.reduce((part, key) => Object(part)[key] as unknown, value);
}

/** Puts something in a place, if that is still there. */
function put(value: unknown, place: Place, replacement: unknown): void {
  const parent = at(value)(place.slice(0, -1));
  const key = place.at(-1) ?? "";
  if (typeof parent === "object" && parent !== null) {
    Object.assign(parent, { [key]: structuredClone(replacement) });
  }
}
