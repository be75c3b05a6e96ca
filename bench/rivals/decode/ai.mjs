import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, streamText, tool } from "ai";
import { createOllama } from "ollama-ai-provider-v2";

/** @import { CreateClient } from "../decode.mjs" */

const apiKey = "none";

/** @type {Readonly<Record<string, (url: string) => import("ai").LanguageModel>>} */
const models = {
  anthropic: (url) => createAnthropic({ apiKey, baseURL: `${url}/v1` })("claude-sonnet-5"),
  "openai-chat": (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat("gpt-5.6"),
  "openai-responses": (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses("gpt-5.6"),
  gemini: (url) =>
    createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })("gemini-3-pro-preview"),
  ollama: (url) => createOllama({ baseURL: `${url}/api` })("qwen3.6"),
};

// Without `execute`, so that it ends with the calls.
const tools = {
  write_file: tool({
    inputSchema: jsonSchema({
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
    }),
  }),
};

/** Reads `streamText` to its end and takes what it has joined. @type {CreateClient} */
export function create({ wire, url }) {
  const model = models[wire]?.(url);
  if (model === undefined) throw new Error(`does not speak ${wire}`);
  return async () => {
    /** @type {unknown} */
    let failure;
    const result = streamText({
      model,
      prompt: "Write the files.",
      tools,
      maxRetries: 0,
      onError: ({ error }) => (failure = error),
    });
    await result.consumeStream();
    if (failure !== undefined) throw failure;
    const [text, thinking, calls] = await Promise.all([
      result.text,
      result.reasoningText,
      result.toolCalls,
    ]);
    return {
      thinking: thinking ?? "",
      text,
      calls: calls.map(({ toolName, input }) => ({ name: toolName, input })),
    };
  };
}
