import { stream } from "@mariozechner/pi-ai";

/** @import { CreateClient } from "../decode.mjs" */

/** @type {Readonly<Record<string, { api: string, provider: string, path: string }>>} */
const apis = {
  anthropic: { api: "anthropic-messages", provider: "anthropic", path: "" },
  "openai-chat": { api: "openai-completions", provider: "openai", path: "/v1" },
  "openai-responses": { api: "openai-responses", provider: "openai", path: "/v1" },
  gemini: { api: "google-generative-ai", provider: "google", path: "/v1beta" },
};

/** Reads its events and takes its message. @type {CreateClient} */
export function create({ wire, url }) {
  const { api, provider, path } = apis[wire] ?? fail(wire);
  const model = {
    id: "model",
    name: "model",
    api,
    provider,
    baseUrl: url + path,
    reasoning: true,
    input: /** @type {"text"[]} */ (["text"]),
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1_000_000,
    maxTokens: 64_000,
  };
  const message = {
    role: /** @type {const} */ ("user"),
    content: "Write the files.",
    timestamp: 0,
  };
  return async () => {
    const events = stream(model, { messages: [message] }, { apiKey: "none" });
    for await (const event of events) if (event.type === "error") break;
    const { content, stopReason, errorMessage } = await events.result();
    if (stopReason === "error") throw new Error(errorMessage);
    return {
      thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      calls: content.flatMap((block) =>
        block.type === "toolCall" ? [{ name: block.name, input: block.arguments }] : [],
      ),
    };
  };
}

/** @param {string} wire @returns {never} */
function fail(wire) {
  throw new Error(`does not speak ${wire}`);
}
