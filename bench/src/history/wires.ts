import { AnthropicScheme } from "@llm-worker/providers-anthropic";
import { GeminiScheme } from "@llm-worker/providers-gemini";
import { OllamaScheme } from "@llm-worker/providers-ollama";
import { OpenAIChatScheme, OpenAIResponsesScheme } from "@llm-worker/providers-openai";
import { HttpProvider, type Provider, type Scheme } from "llm-worker";
import type { Dispatcher } from "undici";

const model = "bench-model";

const SCHEMES: Readonly<Record<string, () => Scheme>> = {
  anthropic: () => new AnthropicScheme({ model }),
  "openai responses": () => new OpenAIResponsesScheme({ model }),
  "openai chat": () => new OpenAIChatScheme({ model }),
  gemini: () => new GeminiScheme({ model }),
  ollama: () => new OllamaScheme({ model }),
};

/** The five wires. */
export const wires: readonly string[] = Object.keys(SCHEMES);

/** A provider that has sent nothing yet. @throws RangeError for a wire that does not exist */
export function createProvider(wire: string, dispatcher: Dispatcher): Provider {
  const scheme = SCHEMES[wire]?.();
  if (scheme === undefined) throw new RangeError(`there is no wire ${wire}`);
  return new HttpProvider({
    scheme,
    baseUrl: "http://127.0.0.1:9",
    headers: { "x-api-key": "none" },
    retry: { maxRetries: 0 },
    dispatcher,
  });
}
