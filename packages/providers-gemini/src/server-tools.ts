import { type ConversationMessage, isRecord, type Item } from "llm-worker";
import { SCHEME_NAME } from "./wire.js";

/** The fields of parts for tools that the server runs itself. */
const CALL = "toolCall";
const RESPONSE = "toolResponse";

/**
 * Items of server tools that lack their other half, as after an answer that was aborted: a call
 * without its response, or the other way round.
 */
export function unpairedServerItems(messages: readonly ConversationMessage[]): ReadonlySet<Item> {
  const calls = new Map<string, Item>();
  const responses = new Map<string, Item>();
  for (const { entries } of messages) {
    for (const { item } of entries) {
      const callId = idIn(item, CALL);
      const responseId = idIn(item, RESPONSE);
      if (callId !== undefined) calls.set(callId, item);
      if (responseId !== undefined) responses.set(responseId, item);
    }
  }
  const unpaired = new Set<Item>();
  for (const [id, item] of calls) if (!responses.has(id)) unpaired.add(item);
  for (const [id, item] of responses) if (!calls.has(id)) unpaired.add(item);
  return unpaired;
}

function idIn(item: Item, field: string): string | undefined {
  if (item.type !== "opaque" || item.providerData.scheme !== SCHEME_NAME) return undefined;
  const { data } = item.providerData;
  const half = isRecord(data) ? data[field] : undefined;
  return isRecord(half) && typeof half["id"] === "string" ? half["id"] : undefined;
}
