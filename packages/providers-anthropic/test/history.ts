import { type Item, type LlmRequest, type ToolDefinition, userMessage } from "llm-worker";
import type { AnthropicSchemeOptions } from "../src/build-request.js";
import { AnthropicScheme } from "../src/scheme.js";

export type Json = Readonly<Record<string, unknown>>;

export const MODEL = "claude-test";
export const tool: ToolDefinition = {
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
};
export const user: (text: string) => Item = userMessage;
export const said = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text }],
});
export const call = (callId: string, text = "{}"): Item => ({
  type: "tool_call",
  callId,
  name: "add",
  arguments: text,
});
export const result = (callId: string, summary = "ok", isError = false): Item => ({
  type: "tool_result",
  callId,
  summary,
  ...(isError ? { isError } : {}),
});
export const thought = (signature: string, model = MODEL, scheme = "anthropic"): Item => ({
  type: "reasoning",
  text: " hm\n",
  providerData: { scheme, model, data: { type: "thinking", signature } },
});
export const opaque = (data: Json, scheme = "anthropic"): Item => ({
  type: "opaque",
  // Test data is JSON.
  providerData: { scheme, model: MODEL, data: data as never },
});

export function bodyText(
  request: Partial<LlmRequest>,
  options: Partial<AnthropicSchemeOptions> = {},
): string {
  const scheme = new AnthropicScheme({ model: MODEL, ...options });
  return scheme.buildRequest({ tools: [], items: [user("hi")], ...request }).body;
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
