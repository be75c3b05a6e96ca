import { anthropic } from "@llm-worker/providers-anthropic";
import { gemini } from "@llm-worker/providers-gemini";
import { ollama } from "@llm-worker/providers-ollama";
import { openai } from "@llm-worker/providers-openai";
import type { Provider } from "llm-worker";

/** One provider for each of the five wires, all of them at the scripted model of this address. */
export function createProviders(url: string): readonly Provider[] {
  const apiKey = "none is looked at";
  return [
    anthropic({ model: "claude-sonnet-4-6", apiKey, baseUrl: url }),
    openai({ model: "gpt-5.4", apiKey, baseUrl: `${url}/v1` }),
    openai({ model: "gpt-5.4", api: "chat", apiKey, baseUrl: `${url}/v1` }),
    gemini({ model: "gemini-3.5-flash", apiKey, baseUrl: url }),
    ollama({ model: "qwen3", baseUrl: url }),
  ];
}
