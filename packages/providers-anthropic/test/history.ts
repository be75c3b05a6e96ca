import {
  type Json,
  opaque as opaqueOf,
  thought as thoughtOf,
  user,
} from "@llm-worker/wire-testing";
import type { Item, LlmRequest } from "llm-worker";
import type { AnthropicSchemeOptions } from "../src/build-request.js";
import { AnthropicScheme } from "../src/scheme.js";

export const MODEL = "claude-test";
export const thought = (signature: string, model = MODEL, scheme = "anthropic"): Item =>
  thoughtOf(scheme, model, { type: "thinking", signature });
export const opaque = (data: Json, scheme = "anthropic"): Item => opaqueOf(scheme, MODEL, data);

export function bodyText(
  request: Partial<LlmRequest>,
  options: Partial<AnthropicSchemeOptions> = {},
): string {
  const scheme = new AnthropicScheme({ model: MODEL, ...options });
  return String(scheme.buildRequest({ tools: [], items: [user("hi")], ...request }).body);
}

export function bodyOf(
  request: Partial<LlmRequest>,
  options: Partial<AnthropicSchemeOptions> = {},
): Json {
  return JSON.parse(bodyText(request, options)) as Json;
}

/** The messages without cache marks, each `[role, ...blocks]`. */
export function messagesOf(items: readonly Item[]): unknown {
  return (bodyOf({ items }, { cache: "off" })["messages"] as Json[]).map(({ role, content }) => [
    role,
    ...(content as Json[]),
  ]);
}
