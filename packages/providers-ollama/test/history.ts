import { type Json, thought as anyThought, user } from "@llm-worker/wire-testing";
import type { Item, LlmRequest } from "llm-worker";
import type { OllamaSchemeOptions } from "../src/build-request.js";
import { OllamaScheme } from "../src/scheme.js";

export const MODEL = "test-model";

/** What a model thought, by default this one. */
export function thought(model = MODEL, scheme = "ollama"): Item {
  return anyThought(scheme, model, { type: "thinking" });
}

/** The text of the body that a request is sent as. */
export function bodyText(
  request: Partial<LlmRequest>,
  options: Partial<OllamaSchemeOptions> = {},
): string {
  const scheme = new OllamaScheme({ model: MODEL, ...options });
  return String(scheme.buildRequest({ tools: [], items: [user("hi")], ...request }).body);
}

/** The body that a request is sent as. */
export function bodyOf(
  request: Partial<LlmRequest>,
  options: Partial<OllamaSchemeOptions> = {},
): Json {
  return JSON.parse(bodyText(request, options)) as Json;
}

/** The messages that a history is sent as. */
export function messagesOf(items: readonly Item[]): readonly Json[] {
  return bodyOf({ items })["messages"] as readonly Json[];
}
