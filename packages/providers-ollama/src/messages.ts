import {
  type ByteLog,
  type ConversationEntry,
  type ConversationMessage,
  type MessagesWriter,
} from "llm-worker";
import { messageBlock, toBlock } from "./blocks.js";
import { TEXT_SEPARATOR } from "./content.js";

/** Ends a history that ends with the assistant: the server would go on from its words (prefill). */
const CONTINUE_TEXT = "Continue.";

const SEPARATOR_JSON = JSON.stringify(TEXT_SEPARATOR).slice(1, -1);

/** Writes the history as messages. */
export class MessageWriter implements MessagesWriter {
  readonly #model: string;
  /** Of the last message that was written. */
  #lastRole: ConversationMessage["role"] | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  /** Whether there is nothing that could be sent. */
  get isEmpty(): boolean {
    return this.#lastRole === undefined;
  }

  write(messages: readonly ConversationMessage[], out: ByteLog): void {
    let toolNames = new Map<string, string>();
    for (const { role, entries } of messages) {
      if (role === "assistant") {
        toolNames = toolNamesOf(entries);
        this.#writeMessage(role, assistantMessage(entries, this.#model), out);
      } else {
        for (const entry of inOrderOfCalls(entries, toolNames)) {
          const block = toBlock(entry, this.#model, toolNames.get(entry.callId ?? ""));
          this.#writeMessage(role, block?.json, out);
        }
      }
    }
  }

  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.write(messages, out);
    if (this.#lastRole !== "assistant") return;
    const { json } = messageBlock("user", { text: CONTINUE_TEXT, images: [] });
    this.#writeMessage("user", json, out);
  }

  fork(): this {
    const fork = new MessageWriter(this.#model);
    fork.#lastRole = this.#lastRole;
    // The class has no subclasses.
    return fork as this;
  }

  #writeMessage(role: ConversationMessage["role"], json: string | undefined, out: ByteLog): void {
    if (json === undefined) return;
    out.append(this.isEmpty ? json : `,${json}`);
    this.#lastRole = role;
  }
}

/** One message: the wire has a field for each kind of what a turn brings, and order within it. */
function assistantMessage(
  entries: readonly ConversationEntry[],
  model: string,
): string | undefined {
  // Appending is the fastest way to join many strings: they are copied once, at the very end.
  let content = "";
  let thinking = "";
  let calls = "";
  for (const entry of entries) {
    const block = toBlock(entry, model);
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
