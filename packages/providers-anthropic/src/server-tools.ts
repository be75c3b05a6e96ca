import { type ConversationMessage, isRecord, type Item } from "llm-worker";
import { SCHEME_NAME } from "./wire.js";

/**
 * Items of server tools that cannot be sent: a result without its call is refused, and so is a call
 * without its result once the conversation has gone on (A20). A call that the server still works on
 * (A19) has at most results of our tools after it, and stays.
 */
export function unpairedServerItems(messages: readonly ConversationMessage[]): ReadonlySet<Item> {
  const uses = new Map<string, Item>();
  const unpaired = new Set<Item>();
  const answered = new Set<string>();
  for (const { entries } of messages) {
    for (const { item } of entries) {
      const data = serverData(item);
      const useId = data?.["tool_use_id"];
      if (typeof useId === "string") {
        if (uses.has(useId)) answered.add(useId);
        else unpaired.add(item);
      } else if (typeof data?.["id"] === "string") {
        uses.set(data["id"], item);
      }
    }
  }
  const stillRunning = itemsOfLastAnswer(messages);
  for (const [id, item] of uses) {
    if (!answered.has(id) && !stillRunning.has(item)) unpaired.add(item);
  }
  return unpaired;
}

function serverData(item: Item): Readonly<Record<string, unknown>> | undefined {
  if (item.type !== "opaque" || item.providerData.scheme !== SCHEME_NAME) return undefined;
  return isRecord(item.providerData.data) ? item.providerData.data : undefined;
}

/** The last assistant message, unless the user has said something since. */
function itemsOfLastAnswer(messages: readonly ConversationMessage[]): ReadonlySet<Item> {
  const last = messages.at(-1);
  const answer = last?.role === "assistant" ? last : messages.at(-2);
  const hasOnlyResults = last?.entries.every(({ item }) => item.type === "tool_result") ?? false;
  if (answer?.role !== "assistant" || !(last === answer || hasOnlyResults)) return new Set();
  return new Set(answer.entries.map(({ item }) => item));
}
