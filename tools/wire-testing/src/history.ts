import { type Item, type ToolDefinition, userMessage } from "llm-worker";

/** An object of unknown fields. */
export type Json = Readonly<Record<string, unknown>>;

/** A tool to name in requests. */
export const tool: ToolDefinition = {
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
};

/** What the user says. */
export const user: (text: string) => Item = userMessage;

/** What the assistant says. */
export function said(text: string): Item {
  return { type: "message", role: "assistant", content: [{ type: "text", text }] };
}

/** A call of {@link tool}. */
export function call(callId: string, text = "{}"): Item {
  return { type: "tool_call", callId, name: "add", arguments: text };
}

/** The result of a call. */
export function result(callId: string, summary = "ok", isError = false): Item {
  return { type: "tool_result", callId, summary, ...(isError ? { isError } : {}) };
}

/** Reasoning that some provider wants back. */
export function thought(scheme: string, model: string, data: Json, text = " hm\n"): Item {
  // Test data is JSON.
  return { type: "reasoning", text, providerData: { scheme, model, data: data as never } };
}

/** What only some provider understands. */
export function opaque(scheme: string, model: string, data: Json): Item {
  return { type: "opaque", providerData: { scheme, model, data: data as never } };
}
