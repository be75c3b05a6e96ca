import {
  call,
  hasSharedData,
  requestJudge,
  result,
  said,
  skippedWhen,
  thought,
  tool,
  user,
} from "@llm-worker/wire-testing";
import type { Item, LlmRequest } from "llm-worker";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { chatBody, MODEL, responsesBody } from "./requests.js";

const png = { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const pdf = { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" } as const;
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" };
const ownCall: Item = {
  type: "tool_call",
  callId: "call_1",
  name: "add",
  arguments: '{"a":1}',
  providerData: {
    scheme: "openai-responses",
    model: MODEL,
    data: { type: "function_call", id: "fc_1" },
  },
};
const request: LlmRequest = {
  systemPrompt: "Be brief.",
  tools: [tool],
  items: [
    {
      type: "message",
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "image", source: png },
        { type: "file", source: pdf, name: "a.pdf" },
      ],
    },
    thought("openai-responses", MODEL, reasoning),
    ownCall,
    call("call_2"),
    result("call_1", "2"),
    {
      type: "tool_result",
      callId: "call_2",
      summary: "seen",
      parts: [{ type: "image", source: png }],
    },
    said("Both."),
    user("Go on."),
  ],
  generation: {
    maxOutputTokens: 100,
    temperature: 0.5,
    topP: 0.9,
    toolChoice: { name: "add" },
    parallelToolCalls: false,
    outputSchema: {
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
      additionalProperties: false,
    },
  },
};
const dataUrl = "data:image/png;base64,iVBORw0KGgo=";
const schema = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
  additionalProperties: false,
};
const parameters = { type: "object", properties: { a: { type: "number" } } };

const chatRequest = {
  model: MODEL,
  tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters } }],
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "image_url", image_url: { url: dataUrl } },
        {
          type: "file",
          file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
        },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
        { id: "call_2", type: "function", function: { name: "add", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "2" },
    { role: "tool", tool_call_id: "call_2", content: "seen" },
    {
      role: "user",
      content: [
        { type: "text", text: "[belongs to the result of call call_2]" },
        { type: "image_url", image_url: { url: dataUrl } },
      ],
    },
    { role: "assistant", content: "Both." },
    { role: "user", content: "Go on." },
  ],
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  stop: ["END"],
  tool_choice: { type: "function", function: { name: "add" } },
  parallel_tool_calls: false,
  reasoning_effort: "low",
  verbosity: "low",
  prompt_cache_key: "k",
  response_format: { type: "json_schema", json_schema: { name: "output", schema, strict: true } },
} satisfies OpenAI.Chat.ChatCompletionCreateParamsStreaming;

const responsesRequest = {
  model: MODEL,
  tools: [{ type: "function", name: "add", description: "Adds.", parameters, strict: false }],
  instructions: "Be brief.",
  input: [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Look." },
        { type: "input_image", image_url: dataUrl, detail: "auto" },
        {
          type: "input_file",
          filename: "a.pdf",
          file_data: "data:application/pdf;base64,JVBERi0=",
        },
      ],
    },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "add", arguments: '{"a":1}' },
    { type: "function_call", call_id: "call_2", name: "add", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "2" },
    {
      type: "function_call_output",
      call_id: "call_2",
      output: [
        { type: "input_text", text: "seen" },
        { type: "input_image", image_url: dataUrl, detail: "auto" },
      ],
    },
    { role: "assistant", content: "Both." },
    { role: "user", content: [{ type: "input_text", text: "Go on." }] },
  ],
  stream: true,
  store: false,
  include: ["reasoning.encrypted_content"],
  reasoning: { effort: "low", summary: "auto" },
  max_output_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  tool_choice: { type: "function", name: "add" },
  parallel_tool_calls: false,
  text: { format: { type: "json_schema", name: "output", schema, strict: true }, verbosity: "low" },
  prompt_cache_key: "k",
} satisfies OpenAI.Responses.ResponseCreateParamsStreaming;

const common = { effort: "low", verbosity: "low", promptCacheKey: "k" } as const;

test("a Chat request with everything in it is what the official SDK's types say", () => {
  const generation = { ...request.generation, stopSequences: ["END"] };
  expect(chatBody({ ...request, generation }, common)).toEqual(chatRequest);
});

test("a Responses request with everything in it is what the official SDK's types say", () => {
  expect(responsesBody(request, { ...common, reasoningSummary: "auto" })).toEqual(responsesRequest);
});

describe.skipIf(!hasSharedData)(`the judge of requests${skippedWhen}`, () => {
  test.each([
    ["openai-chat", chatRequest],
    ["openai-responses", responsesRequest],
  ] as const)("finds no fault with the %s request", async (profile, body) => {
    const judge = await requestJudge(profile);
    expect(judge(body).errors).toEqual([]);
  });
});
