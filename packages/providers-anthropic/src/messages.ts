import { CONTINUE_TEXT, type LlmRequest, MISSING_START_TEXT, toConversation } from "llm-worker";
import type { Block, BlockWriter } from "./blocks.js";
import { unpairedServerItems } from "./server-tools.js";

/** A message, its blocks serialised. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly blocks: readonly PlacedBlock[];
}

export interface PlacedBlock extends Block {
  /** Index of its item in the history; -1 for what is not of the history. */
  readonly position: number;
}

/**
 * The history as messages that the server takes: roles take turns, the user is first, and the user
 * is last too, unless the server itself is at work on the last message (A19).
 */
export function toMessages(request: LlmRequest, writer: BlockWriter): readonly Message[] {
  const conversation = toConversation(request.items);
  const unpaired = unpairedServerItems(conversation);
  const messages: Message[] = [];
  for (const { role, entries } of conversation) {
    const blocks: PlacedBlock[] = [];
    for (const entry of entries) {
      if (unpaired.has(entry.item)) continue;
      for (const { json, kind } of writer.write(entry)) {
        blocks.push({ json, kind, position: entry.position });
      }
    }
    append(messages, role, role === "assistant" ? withoutTrailingThinking(blocks) : blocks);
  }
  if (messages[0]?.role === "assistant") messages.unshift(ownMessage(MISSING_START_TEXT));
  // Going on from the assistant's words is refused (A11).
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.blocks.at(-1)?.kind !== "opaque") {
    messages.push(ownMessage(CONTINUE_TEXT));
  }
  return messages;
}

/** A message of which nothing can be sent is left out, and its neighbours become one. */
function append(messages: Message[], role: Message["role"], blocks: readonly PlacedBlock[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== role) messages.push({ role, blocks });
  else messages[messages.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
}

/** The server refuses a message that ends in thinking, as one does whose answer was aborted. */
function withoutTrailingThinking(blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const lastOther = blocks.findLastIndex((block) => block.kind !== "thinking");
  return lastOther === blocks.length - 1 ? blocks : blocks.slice(0, lastOther + 1);
}

function ownMessage(text: string): Message {
  const json = JSON.stringify({ type: "text", text });
  return { role: "user", blocks: [{ json, kind: "plain", position: -1 }] };
}
