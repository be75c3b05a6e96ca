import { chat, maxIterations } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import { createGeminiChat } from "@tanstack/ai-gemini";
import { createOllamaChat } from "@tanstack/ai-ollama";
import { createOpenaiChat, createOpenaiChatCompletions } from "@tanstack/ai-openai";

/** @import { CreateClient } from "../decode.mjs" */

const KEY = "none";

/** @type {Readonly<Record<string, (url: string) => any>>} */
const adapters = {
  anthropic: (url) => createAnthropicChat("claude-sonnet-4-5", KEY, { baseURL: url }),
  "openai-chat": (url) => createOpenaiChatCompletions("gpt-5", KEY, { baseURL: `${url}/v1` }),
  "openai-responses": (url) => createOpenaiChat("gpt-5", KEY, { baseURL: `${url}/v1` }),
  gemini: (url) => createGeminiChat("gemini-2.5-pro", KEY, { baseURL: url }),
  ollama: (url) => createOllamaChat("qwen3.6", { baseURL: url }),
};

// Without `execute`, so that it ends with the calls.
const tools = [
  {
    name: "write_file",
    description: "Writes a file.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
    },
  },
];

/** Reads `chat` to its end and joins the pieces of its events. @type {CreateClient} */
export function create({ wire, url }) {
  const adapter = adapters[wire]?.(url);
  if (adapter === undefined) throw new Error(`does not speak ${wire}`);
  return async () => {
    const thinking = [];
    const text = [];
    /** @type {Map<string, { name: string, pieces: string[], input: unknown }>} */
    const calls = new Map();
    const stream = /** @type {AsyncIterable<any>} */ (
      chat({
        adapter,
        messages: [{ role: "user", content: "Write the files." }],
        tools: /** @type {any} */ (tools),
        agentLoopStrategy: maxIterations(1),
      })
    );
    for await (const event of stream) {
      switch (event.type) {
        case "TEXT_MESSAGE_CONTENT":
          text.push(event.delta);
          break;
        case "REASONING_MESSAGE_CONTENT":
          thinking.push(event.delta);
          break;
        case "TOOL_CALL_START":
          calls.set(event.toolCallId, {
            name: event.toolCallName,
            pieces: [],
            input: undefined,
          });
          break;
        case "TOOL_CALL_ARGS":
          calls.get(event.toolCallId)?.pieces.push(event.delta);
          break;
        case "RUN_ERROR":
          throw new Error(event.message);
      }
    }
    return {
      thinking: thinking.join(""),
      text: text.join(""),
      calls: [...calls.values()].map(({ name, pieces }) => ({
        name,
        input: JSON.parse(pieces.join("")),
      })),
    };
  };
}
