import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOllama } from "@langchain/ollama";
import { ChatOpenAI } from "@langchain/openai";

/** @import { CreateClient } from "../decode.mjs" */

const apiKey = "none";

/** @type {Readonly<Record<string, (url: string) => import("@langchain/core/language_models/chat_models").BaseChatModel>>} */
const models = {
  anthropic: (url) =>
    new ChatAnthropic({ apiKey, anthropicApiUrl: url, model: "claude-sonnet-5", maxRetries: 0 }),
  "openai-chat": (url) => openai(url, false),
  "openai-responses": (url) => openai(url, true),
  gemini: (url) =>
    new ChatGoogleGenerativeAI({
      apiKey,
      baseUrl: url,
      model: "gemini-3-pro-preview",
      maxRetries: 0,
    }),
  ollama: (url) => new ChatOllama({ baseUrl: url, model: "qwen3.6", maxRetries: 0 }),
};

/** @param {string} url @param {boolean} useResponsesApi */
function openai(url, useResponsesApi) {
  const configuration = { baseURL: `${url}/v1` };
  return new ChatOpenAI({
    apiKey,
    configuration,
    model: "gpt-5.6",
    useResponsesApi,
    maxRetries: 0,
  });
}

/** Reads `stream` to its end and joins the chunks by `concat`. @type {CreateClient} */
export function create({ wire, url }) {
  const model = models[wire]?.(url);
  if (model === undefined) throw new Error(`does not speak ${wire}`);
  return async () => {
    let message;
    for await (const chunk of await model.stream("Write the files.")) {
      message = message === undefined ? chunk : message.concat(chunk);
    }
    const calls = message?.tool_calls ?? [];
    return {
      thinking: thinkingOf(message),
      text: message?.text ?? "",
      calls: calls.map(({ name, args }) => ({ name, input: args })),
    };
  };
}

/** Each of its packages keeps reasoning elsewhere. @param {any} message */
function thinkingOf(message) {
  const { additional_kwargs: fields = {}, content } = message ?? {};
  if (typeof fields.reasoning_content === "string") return fields.reasoning_content;
  if (Array.isArray(fields.reasoning?.summary)) {
    return fields.reasoning.summary.map((/** @type {any} */ part) => part.text).join("");
  }
  const blocks = Array.isArray(content) ? content : [];
  return blocks.map((block) => block.thinking ?? block.reasoning ?? "").join("");
}
