import {
  CONTINUE_TEXT,
  type ConversationEntry,
  type LlmRequest,
  MISSING_START_TEXT,
  type ToolCallItem,
  toConversation,
} from "llm-worker";
import type { BlockWriter } from "./blocks.js";
import { unpairedServerItems } from "./server-tools.js";

/** A content, its parts serialised. */
export interface Message {
  readonly role: "user" | "model";
  readonly parts: readonly string[];
}

/**
 * The history as contents that the server takes: the user is first and last, all calls of a turn are
 * in one content (G3), and the next holds exactly one response for each and nothing else (G6).
 */
export function toMessages(request: LlmRequest, writer: BlockWriter): readonly Message[] {
  const messages: Message[] = [];
  let calls: ReadonlyMap<string, ToolCallItem> = new Map();
  const conversation = toConversation(request.items);
  const unpaired = unpairedServerItems(conversation);
  for (const { role, entries } of conversation) {
    if (role === "assistant") {
      calls = callsOf(entries);
      const sendable = entries.filter(({ item }) => !unpaired.has(item));
      appendModel(messages, modelParts(sendable, writer));
    } else {
      messages.push(...userMessages(entries, calls, writer));
    }
  }
  // A call needs a user's turn before it, and there has to be one to answer.
  if (messages[0]?.role === "model") messages.unshift(ownMessage(MISSING_START_TEXT));
  if (messages.at(-1)?.role === "model") messages.push(ownMessage(CONTINUE_TEXT));
  return messages;
}

function callsOf(entries: readonly ConversationEntry[]): ReadonlyMap<string, ToolCallItem> {
  const calls = new Map<string, ToolCallItem>();
  for (const { item, callId = "" } of entries) {
    if (item.type === "tool_call") calls.set(callId, item);
  }
  return calls;
}

function modelParts(entries: readonly ConversationEntry[], writer: BlockWriter): readonly string[] {
  const firstCall = entries.find(({ item }) => item.type === "tool_call");
  return entries.flatMap(
    (entry) => writer.write(entry, { isFirstCall: entry === firstCall }).parts,
  );
}

/** Where nothing of what the user said in between can be sent, two answers become one. */
function appendModel(messages: Message[], parts: readonly string[]): void {
  if (parts.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== "model") messages.push({ role: "model", parts });
  else messages[messages.length - 1] = { role: "model", parts: [...last.parts, ...parts] };
}

/** Responses in the order of their calls: without ids that is what pairs them. */
function userMessages(
  entries: readonly ConversationEntry[],
  calls: ReadonlyMap<string, ToolCallItem>,
  writer: BlockWriter,
): readonly Message[] {
  const results = new Map(entries.map((entry) => [entry.callId, entry]));
  const responses: string[] = [];
  const others: string[] = [];
  for (const [callId, call] of calls) {
    const result = results.get(callId);
    if (result === undefined) continue;
    const { parts, besides } = writer.write(result, { call });
    responses.push(...parts);
    others.push(...besides);
  }
  for (const entry of entries) {
    if (entry.item.type !== "tool_result") others.push(...writer.write(entry).parts);
  }
  return [responses, others]
    .filter((parts) => parts.length > 0)
    .map((parts) => ({ role: "user", parts }));
}

function ownMessage(text: string): Message {
  return { role: "user", parts: [JSON.stringify({ text })] };
}
