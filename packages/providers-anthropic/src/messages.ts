import {
  type ByteLog,
  CONTINUE_TEXT,
  type ConversationMessage,
  type Item,
  type MessagesWriter,
  MISSING_START_TEXT,
} from "llm-worker";
import { type Block, toBlocks } from "./blocks.js";
import { MarkableBlocks } from "./cache-marks.js";
import {
  itemsOfLastAnswer,
  serverCallIds,
  ServerToolPairing,
  unpairedServerItems,
} from "./server-tools.js";

type Role = ConversationMessage["role"];

/** Of blocks that are not of the history. */
const NO_POSITION = -1;
const NONE: ReadonlySet<Item> = new Set();

/**
 * Writes the history as messages that the server takes: roles take turns, the user is first, and the
 * user is last too, unless the server itself is at work on the last message (A19).
 */
export class MessageWriter implements MessagesWriter {
  /** Where cache marks can be put into what was written. */
  readonly marks: MarkableBlocks;
  readonly #model: string;
  readonly #answered: Set<string>;
  /** Of the message that was begun last. */
  #role: Role | undefined;
  #lastKind: Block["kind"] | undefined;

  constructor(model: string, before?: MessageWriter) {
    this.#model = model;
    this.marks = new MarkableBlocks(before?.marks);
    this.#answered = new Set();
    if (before === undefined) return;
    this.#answered = before.#answered;
    this.#role = before.#role;
    this.#lastKind = before.#lastKind;
  }

  /** Whether there is nothing that could be sent. */
  get isEmpty(): boolean {
    return this.#role === undefined;
  }

  createPairing(): ServerToolPairing {
    return new ServerToolPairing(this.#answered);
  }

  write(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.#writeMessages(messages, NONE, out);
    for (const id of serverCallIds(messages)) this.#answered.add(id);
  }

  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.#writeMessages(messages, itemsOfLastAnswer(messages), out);
    // Going on from the assistant's words is refused (A11).
    if (this.#role === "assistant" && this.#lastKind !== "opaque") {
      this.#writeBlock("user", ownBlock(CONTINUE_TEXT), NO_POSITION, out);
    }
    if (this.#role !== undefined) out.append("]}");
  }

  fork(): this {
    // The class has no subclasses.
    return new MessageWriter(this.#model, this) as this;
  }

  #writeMessages(
    messages: readonly ConversationMessage[],
    running: ReadonlySet<Item>,
    out: ByteLog,
  ): void {
    const unpaired = unpairedServerItems(messages, this.#answered, running);
    for (const { role, entries } of messages) {
      // The server refuses an answer that ends in thinking, as one does that was aborted.
      let thinking: Block[] = [];
      for (const entry of entries) {
        if (unpaired.has(entry.item)) continue;
        for (const block of toBlocks(entry, this.#model)) {
          if (block.kind === "thinking") {
            thinking.push(block);
            continue;
          }
          for (const thought of thinking) this.#writeBlock(role, thought, entry.position, out);
          thinking = [];
          this.#writeBlock(role, block, entry.position, out);
        }
      }
    }
  }

  /** A message of which nothing can be sent is left out, and its neighbours become one. */
  #writeBlock(role: Role, { json, kind }: Block, position: number, out: ByteLog): void {
    if (this.#role === undefined && role === "assistant") {
      this.#writeBlock("user", ownBlock(MISSING_START_TEXT), NO_POSITION, out);
    }
    if (this.#role === role) {
      out.append(`,${json}`);
    } else {
      if (role === "assistant") this.marks.beginAnswer();
      const separator = this.#role === undefined ? "" : "]},";
      out.append(`${separator}{"role":"${role}","content":[${json}`);
      this.#role = role;
    }
    if (kind === "plain") this.marks.add(position, out.end - 1);
    this.#lastKind = kind;
  }
}

function ownBlock(text: string): Block {
  return { json: JSON.stringify({ type: "text", text }), kind: "plain" };
}
