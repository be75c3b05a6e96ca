import { type ConversationEntry, type LlmRequest, toConversation } from "llm-worker";
import { type BlockWriter, messageBlock } from "./blocks.js";
import { isBlank, TEXT_SEPARATOR } from "./content.js";

/** Ends a history that ends with the assistant: the server would go on from its words (prefill). */
const CONTINUE_TEXT = "Continue.";

const SEPARATOR_JSON = JSON.stringify(TEXT_SEPARATOR).slice(1, -1);

/** The history as messages, each serialised, the system prompt in front. */
export function toMessages(request: LlmRequest, writer: BlockWriter): readonly string[] {
  const messages: string[] = [];
  let toolNames = new Map<string, string>();
  let endsWithAssistant = false;
  for (const { role, entries } of toConversation(request.items)) {
    if (role === "assistant") {
      toolNames = toolNamesOf(entries);
      const message = assistantMessage(entries, writer);
      if (message === undefined) continue;
      messages.push(message);
      endsWithAssistant = true;
    } else {
      for (const entry of inOrderOfCalls(entries, toolNames)) {
        const block = writer.write(entry, toolNames.get(entry.callId ?? ""));
        if (block === undefined) continue;
        messages.push(block.json);
        endsWithAssistant = false;
      }
    }
  }
  if (endsWithAssistant) messages.push(ownMessage("user", CONTINUE_TEXT));
  const { systemPrompt = "" } = request;
  if (messages.length > 0 && !isBlank(systemPrompt)) {
    messages.unshift(ownMessage("system", systemPrompt.toWellFormed()));
  }
  return messages;
}

/** One message: the wire has a field for each kind of what a turn brings, and order within it. */
function assistantMessage(
  entries: readonly ConversationEntry[],
  writer: BlockWriter,
): string | undefined {
  // Appending is the fastest way to join many strings: they are copied once, at the very end.
  let content = "";
  let thinking = "";
  let calls = "";
  for (const entry of entries) {
    const block = writer.write(entry);
    if (block?.kind === "content") content = joined(content, SEPARATOR_JSON, block.json);
    if (block?.kind === "thinking") thinking = joined(thinking, SEPARATOR_JSON, block.json);
    if (block?.kind === "tool_call") calls = joined(calls, ",", block.json);
  }
  if (content === "" && calls === "") return undefined;
  const thinkingField = thinking === "" ? "" : `,"thinking":"${thinking}"`;
  const callsField = calls === "" ? "" : `,"tool_calls":[${calls}]`;
  return `{"role":"assistant","content":"${content}"${thinkingField}${callsField}}`;
}

function joined(before: string, separator: string, next: string): string {
  return before === "" ? next : before + separator + next;
}

function toolNamesOf(entries: readonly ConversationEntry[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { item, callId } of entries) {
    if (item.type === "tool_call" && callId !== undefined) names.set(callId, item.name);
  }
  return names;
}

/** Templates that know no ids pair results with calls by their order (L6). Results come first. */
function inOrderOfCalls(
  entries: readonly ConversationEntry[],
  toolNames: ReadonlyMap<string, string>,
): readonly ConversationEntry[] {
  // With one call there is one result, and that comes first.
  if (toolNames.size < 2) return entries;
  const results = new Map(
    entries.flatMap((entry) => (entry.callId === undefined ? [] : [[entry.callId, entry]])),
  );
  const sorted = [...toolNames.keys()].flatMap((callId) => results.get(callId) ?? []);
  return [...sorted, ...entries.filter(({ callId }) => callId === undefined)];
}

function ownMessage(role: "system" | "user", text: string): string {
  return messageBlock(role, { text, images: [] }).json;
}
