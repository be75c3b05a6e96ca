import {
  argumentsJson,
  type ConversationEntry,
  isRecord,
  type ReasoningItem,
  type ToolCallItem,
  foreignJson,
  wireCallId,
} from "llm-worker";
import { messageBlocks, toolResultJson } from "./content.js";
import { type MediaBlock, SCHEME_NAME, type TextBlock } from "./wire.js";

/** A content block, serialised. */
export interface Block {
  readonly json: string;
  readonly kind: "plain" | "thinking" | "opaque";
}

/** Source: the error that other ids get (A22). */
const CALL_ID_PATTERN = /^[a-zA-Z0-9_-]{1,64}$/;

/** The blocks of an entry; none if nothing of it can be sent to this model. */
export function toBlocks(
  { item, callId = "" }: ConversationEntry,
  model: string,
): readonly Block[] {
  switch (item.type) {
    case "message":
      return messageBlocks(item).map(plain);
    case "tool_call":
      return [toolUse(item, callId)];
    case "tool_result":
      return [{ json: toolResultJson(item, wireCallId(callId, CALL_ID_PATTERN)), kind: "plain" }];
    case "reasoning":
      return thinkingBlocks(item, model);
    case "opaque":
      if (item.providerData.scheme !== SCHEME_NAME) return [];
      return [{ json: foreignJson(item.providerData.data), kind: "opaque" }];
  }
}

/** Only what this model signed goes back, untouched; other thinking is refused (A4, A6). */
function thinkingBlocks({ text, providerData }: ReasoningItem, model: string): readonly Block[] {
  if (providerData?.scheme !== SCHEME_NAME || providerData.model !== model) return [];
  const { data } = providerData;
  if (!isRecord(data)) return [];
  if (data["type"] === "redacted_thinking") {
    return [{ json: foreignJson(data), kind: "thinking" }];
  }
  if (data["type"] !== "thinking") return [];
  const { signature } = data;
  return [{ json: foreignJson({ type: "thinking", thinking: text, signature }), kind: "thinking" }];
}

function plain(block: TextBlock | MediaBlock): Block {
  const isOurs = block.type === "text" && block.citations === undefined;
  return { json: isOurs ? JSON.stringify(block) : foreignJson(block), kind: "plain" };
}

/** The arguments are put in as the model wrote them: parsing would round numbers and move keys. */
function toolUse(item: ToolCallItem, callId: string): Block {
  const id = JSON.stringify(wireCallId(callId, CALL_ID_PATTERN));
  const name = JSON.stringify(item.name.toWellFormed());
  const input = argumentsJson(item.arguments);
  const data = item.providerData?.scheme === SCHEME_NAME ? item.providerData.data : undefined;
  const caller = isRecord(data) && data["caller"] !== undefined ? data["caller"] : undefined;
  const suffix = caller === undefined ? "" : `,"caller":${foreignJson(caller)}`;
  return {
    json: `{"type":"tool_use","id":${id},"name":${name},"input":${input}${suffix}}`,
    kind: "plain",
  };
}
