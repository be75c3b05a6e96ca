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

interface PlacedBlock extends Block {
  /** Index of its item in the history; -1 for what is not of the history. */
  readonly position: number;
}

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
      this.#writeBlocks("user", [ownBlock(CONTINUE_TEXT)], out);
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
      const blocks: PlacedBlock[] = [];
      for (const entry of entries) {
        if (unpaired.has(entry.item)) continue;
        for (const { json, kind } of toBlocks(entry, this.#model)) {
          blocks.push({ json, kind, position: entry.position });
        }
      }
      this.#writeBlocks(role, role === "assistant" ? withoutTrailingThinking(blocks) : blocks, out);
    }
  }

  /** A message of which nothing can be sent is left out, and its neighbours become one. */
  #writeBlocks(role: Role, blocks: readonly PlacedBlock[], out: ByteLog): void {
    if (blocks.length === 0) return;
    if (this.#role === undefined && role === "assistant") {
      this.#writeBlocks("user", [ownBlock(MISSING_START_TEXT)], out);
    }
    let separator = ",";
    if (this.#role !== role) {
      separator = `${this.#role === undefined ? "" : "]},"}{"role":"${role}","content":[`;
      this.#role = role;
      if (role === "assistant") this.marks.beginAnswer();
    }
    for (const { json, kind, position } of blocks) {
      out.append(separator);
      out.append(json);
      if (kind === "plain") this.marks.add(position, out.end - 1);
      this.#lastKind = kind;
      separator = ",";
    }
  }
}

/** The server refuses a message that ends in thinking, as one does whose answer was aborted. */
function withoutTrailingThinking(blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const lastOther = blocks.findLastIndex((block) => block.kind !== "thinking");
  return lastOther === blocks.length - 1 ? blocks : blocks.slice(0, lastOther + 1);
}

function ownBlock(text: string): PlacedBlock {
  return { json: JSON.stringify({ type: "text", text }), kind: "plain", position: -1 };
}
