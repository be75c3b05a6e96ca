import {
  argumentsJson,
  type ConversationEntry,
  type ReasoningItem,
  type ToolCallItem,
} from "llm-worker";
import { isBlank, messageContent, resultContent, type WireContent } from "./content.js";
import { SCHEME_NAME } from "./wire.js";

/**
 * What an item comes to on the wire, serialised: a message of its own, or a part of the assistant's.
 * Of `content` and `thinking` it is the inside of a JSON string.
 */
export interface Block {
  readonly kind: "message" | "content" | "thinking" | "tool_call";
  readonly json: string;
}

/**
 * The block of an entry; none if nothing of it can be sent to this model.
 *
 * @param toolName for a result: the tool that was called
 */
export function toBlock(
  { item, callId = "" }: ConversationEntry,
  model: string,
  toolName = "",
): Block | undefined {
  switch (item.type) {
    case "message": {
      const content = messageContent(item);
      if (content.text === "" && content.images.length === 0) return undefined;
      if (item.role === "assistant") return { kind: "content", json: insideOf(content.text) };
      return messageBlock("user", content);
    }
    case "tool_call":
      return { kind: "tool_call", json: toolCall(item, callId) };
    case "tool_result":
      // Without ids the server pairs results with calls by name and order (L6).
      return messageBlock("tool", resultContent(item), {
        tool_name: toolName.toWellFormed(),
        tool_call_id: callId.toWellFormed(),
      });
    case "reasoning":
      return thinkingBlock(item, model);
    case "opaque":
      return undefined;
  }
}

/** Only what this model thought goes back (L7). */
function thinkingBlock({ text, providerData }: ReasoningItem, model: string): Block | undefined {
  if (providerData?.scheme !== SCHEME_NAME || providerData.model !== model) return undefined;
  return isBlank(text) ? undefined : { kind: "thinking", json: insideOf(text.toWellFormed()) };
}

/** A message as JSON. */
export function messageBlock(
  role: "system" | "user" | "tool",
  { text, images }: WireContent,
  more: Readonly<Record<string, string>> = {},
): Block {
  const message = { role, content: text, ...(images.length > 0 ? { images } : {}), ...more };
  return { kind: "message", json: JSON.stringify(message) };
}

/** The arguments are put in as the model wrote them, an object and not its text (L10). */
function toolCall({ name, arguments: text }: ToolCallItem, callId: string): string {
  const id = JSON.stringify(callId.toWellFormed());
  const toolName = JSON.stringify(name.toWellFormed());
  return `{"id":${id},"function":{"name":${toolName},"arguments":${argumentsJson(text)}}}`;
}

function insideOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
