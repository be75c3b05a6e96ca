import type Anthropic from "@anthropic-ai/sdk";
import { call, result, said, thought, tool, user } from "@llm-worker/wire-testing";
import { expect, test } from "vitest";
import { AnthropicScheme } from "../src/scheme.js";

const MODEL = "claude-sonnet-5";
const scheme = new AnthropicScheme({
  model: MODEL,
  thinking: { type: "adaptive" },
  effort: "high",
});

const expected = {
  model: MODEL,
  tools: [
    {
      name: "add",
      description: "Adds.",
      input_schema: { type: "object", properties: { a: { type: "number" } } },
    },
  ],
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
        },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
          title: "a.pdf",
          cache_control: { type: "ephemeral" },
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: " hm\n", signature: "c2ln" },
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "toolu_1", name: "add", input: { a: 1 } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "2" },
        { type: "text", text: "Go on.", cache_control: { type: "ephemeral" } },
      ],
    },
  ],
  max_tokens: 1000,
  stream: true,
  stop_sequences: ["END"],
  tool_choice: { type: "tool", name: "add", disable_parallel_tool_use: true },
  thinking: { type: "adaptive" },
  output_config: {
    effort: "high",
    format: {
      type: "json_schema",
      schema: { type: "object", properties: {}, additionalProperties: false },
    },
  },
} satisfies Anthropic.MessageCreateParamsStreaming;

test("a request with everything in it is of the SDK's own type", () => {
  const { body } = scheme.buildRequest({
    systemPrompt: "Be brief.",
    tools: [tool],
    items: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "text", text: "Look." },
          {
            type: "image",
            source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" },
          },
          {
            type: "file",
            source: { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
            name: "a.pdf",
          },
        ],
      },
      thought("anthropic", MODEL, { type: "thinking", signature: "c2ln" }),
      said("Let me see."),
      call("toolu_1", '{"a":1}'),
      result("toolu_1", "2"),
      user("Go on."),
    ],
    generation: {
      maxOutputTokens: 1000,
      stopSequences: ["END"],
      toolChoice: { name: "add" },
      parallelToolCalls: false,
      outputSchema: { type: "object", properties: {}, additionalProperties: false },
    },
  });
  expect(JSON.parse(String(body))).toEqual(expected);
});
