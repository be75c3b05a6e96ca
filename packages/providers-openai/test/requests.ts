import { type Json, user } from "@llm-worker/wire-testing";
import type { Item, LlmRequest } from "llm-worker";
import type { OpenAIChatSchemeOptions } from "../src/chat/build-request.js";
import { OpenAIChatScheme } from "../src/chat/scheme.js";
import type { OpenAIResponsesSchemeOptions } from "../src/responses/build-request.js";
import { OpenAIResponsesScheme } from "../src/responses/scheme.js";

export const MODEL = "gpt-test";

/** The body that the Chat scheme builds. */
export function chatBody(
  request: Partial<LlmRequest>,
  options: Partial<OpenAIChatSchemeOptions> = {},
): Json {
  const scheme = new OpenAIChatScheme({ model: MODEL, ...options });
  const { body } = scheme.buildRequest({ tools: [], items: [user("hi")], ...request });
  return JSON.parse(String(body)) as Json;
}

/** The body that the Responses scheme builds. */
export function responsesBody(
  request: Partial<LlmRequest>,
  options: Partial<OpenAIResponsesSchemeOptions> = {},
): Json {
  const scheme = new OpenAIResponsesScheme({ model: MODEL, ...options });
  const { body } = scheme.buildRequest({ tools: [], items: [user("hi")], ...request });
  return JSON.parse(String(body)) as Json;
}

/** The messages that a history becomes in Chat. */
export function messagesOf(
  items: readonly Item[],
  options: Partial<OpenAIChatSchemeOptions> = {},
): readonly Json[] {
  return chatBody({ items }, options)["messages"] as Json[];
}

/** The items that a history becomes in Responses. */
export function inputOf(
  items: readonly Item[],
  options: Partial<OpenAIResponsesSchemeOptions> = {},
): readonly Json[] {
  return responsesBody({ items }, options)["input"] as Json[];
}
