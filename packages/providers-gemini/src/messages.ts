import {
  type ByteLog,
  CONTINUE_TEXT,
  type ConversationEntry,
  type ConversationMessage,
  type MessagesWriter,
  MISSING_START_TEXT,
  type ToolCallItem,
} from "llm-worker";
import { BlockWriter } from "./blocks.js";
import { serverIds, ServerToolPairing, unpairedServerItems } from "./server-tools.js";

/**
 * Writes the history as contents that the server takes: the user is first and last, all calls of a
 * turn are in one content (G3), and the next holds exactly one response for each and nothing else
 * (G6).
 */
export class MessageWriter implements MessagesWriter {
  readonly #model: string;
  readonly #blocks: BlockWriter;
  #paired: Set<string> = new Set();
  /** Of the content that was begun last. */
  #role: "user" | "model" | undefined;

  constructor(model: string) {
    this.#model = model;
    this.#blocks = new BlockWriter(model);
  }

  /** Whether there is nothing that could be sent. */
  get isEmpty(): boolean {
    return this.#role === undefined;
  }

  createPairing(): ServerToolPairing {
    return new ServerToolPairing(this.#paired);
  }

  write(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.#writeMessages(messages, out);
    for (const id of serverIds(messages)) this.#paired.add(id);
  }

  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.#writeMessages(messages, out);
    // There has to be a turn of the user to answer.
    if (this.#role === "model") this.#writeParts("user", [ownPart(CONTINUE_TEXT)], out);
    if (this.#role !== undefined) out.append("]}");
  }

  fork(): this {
    const fork = new MessageWriter(this.#model);
    fork.#paired = this.#paired;
    fork.#role = this.#role;
    // The class has no subclasses.
    return fork as this;
  }

  #writeMessages(messages: readonly ConversationMessage[], out: ByteLog): void {
    const unpaired = unpairedServerItems(messages, this.#paired);
    let calls: ReadonlyMap<string, ToolCallItem> = new Map();
    for (const { role, entries } of messages) {
      if (role === "assistant") {
        calls = callsOf(entries);
        const sendable = entries.filter(({ item }) => !unpaired.has(item));
        this.#writeParts("model", modelParts(sendable, this.#blocks), out);
      } else {
        for (const parts of userMessages(entries, calls, this.#blocks)) {
          this.#writeParts("user", parts, out);
        }
      }
    }
  }

  /** Where nothing of what the user said in between can be sent, two answers become one. */
  #writeParts(role: "user" | "model", parts: readonly string[], out: ByteLog): void {
    if (parts.length === 0) return;
    // A call needs a user's turn before it.
    if (this.#role === undefined && role === "model") {
      this.#writeParts("user", [ownPart(MISSING_START_TEXT)], out);
    }
    let separator = ",";
    if (this.#role !== role || role === "user") {
      separator = `${this.#role === undefined ? "" : "]},"}{"role":"${role}","parts":[`;
      this.#role = role;
    }
    for (const part of parts) {
      out.append(separator + part);
      separator = ",";
    }
  }
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

/** Responses in the order of their calls: without ids that is what pairs them. */
function userMessages(
  entries: readonly ConversationEntry[],
  calls: ReadonlyMap<string, ToolCallItem>,
  writer: BlockWriter,
): readonly (readonly string[])[] {
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
  return [responses, others];
}

function ownPart(text: string): string {
  return JSON.stringify({ text });
}
