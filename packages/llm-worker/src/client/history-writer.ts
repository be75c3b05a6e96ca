import type { Item } from "../model/item.js";
import { ByteLog } from "./byte-log.js";
import { ConversationBuilder, type ConversationMessage, sideOf } from "./conversation.js";

/**
 * Writes the messages of one conversation on one wire, each call going on where the last one ended.
 * Holds what the wire needs to know of what was written; nothing that was written is changed.
 */
export interface MessagesWriter {
  /** Messages that others follow. */
  write(messages: readonly ConversationMessage[], out: ByteLog): void;
  /** The last messages, perhaps none, and what ends the list. */
  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void;
  /** Another writer that goes on from here, while this one stays as it is. */
  fork(): this;
  /** For wires on which what becomes of an item can depend on a much later one. */
  createPairing?(): Pairing;
}

/** Looks at what follows on what was written, before it is written. */
export interface Pairing {
  /**
   * Takes the next messages.
   *
   * @returns whether no later one can change what becomes of those taken so far; until then they are
   *   written again in each request
   */
  add(messages: readonly ConversationMessage[]): boolean;
}

/** A history as it goes on the wire: `closed` and then `open`, whose offsets go on from it. */
export interface WrittenHistory<Writer> {
  readonly closed: ByteLog;
  readonly open: ByteLog;
  /** The writer after the end. */
  readonly writer: Writer;
}

/**
 * Writes histories, each exchange once: an answer and what was said to it never change after the
 * next answer, so that a request costs what is new in it, however long the history is. It knows a
 * history again by its items; one that has changed is written anew from its beginning.
 */
export class HistoryWriter<Writer extends MessagesWriter> {
  readonly #createWriter: () => Writer;
  /** By list, and by first item for hooks that make a new list for every request. */
  readonly #known = new WeakMap<object, KeptHistory<Writer>>();

  constructor(createWriter: () => Writer) {
    this.#createWriter = createWriter;
  }

  write(items: readonly Item[]): WrittenHistory<Writer> {
    const keys = items[0] === undefined ? [items] : [items[0], items];
    const kept =
      keys.map((key) => this.#known.get(key)).find((one) => one?.isStartOf(items)) ??
      new KeptHistory(this.#createWriter());
    for (const key of keys) this.#known.set(key, kept);
    return kept.write(items);
  }
}

/** What is written of a conversation for good. */
class KeptHistory<Writer extends MessagesWriter> {
  readonly #writer: Writer;
  readonly #builder = new ConversationBuilder();
  readonly #items: Item[] = [];
  readonly #log = new ByteLog();
  /** Closed messages that a later item may still change, during a write. */
  #waiting: ConversationMessage[] = [];
  #pairing: Pairing | undefined;
  /** Stays set when a write has thrown: what it has left behind is not to be gone on from. */
  #isWriting = false;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  isStartOf(items: readonly Item[]): boolean {
    if (this.#isWriting) return false;
    const kept = this.#items;
    const next = items[kept.length];
    // What was closed was closed by an answer: with something else in its place it is open again.
    if (kept.length > 0 && (next === undefined || sideOf(next) === "user")) return false;
    for (let i = 0; i < kept.length; i += 1) if (kept[i] !== items[i]) return false;
    return true;
  }

  write(items: readonly Item[]): WrittenHistory<Writer> {
    this.#isWriting = true;
    this.#builder.restart();
    this.#pairing = this.#writer.createPairing?.();
    this.#waiting = [];
    for (let i = this.#items.length; i < items.length; i += 1) this.#add(items, i);
    const open = new ByteLog(this.#log.end);
    const writer = this.#writer.fork();
    writer.writeEnd([...this.#waiting, ...this.#builder.open()], open);
    this.#waiting = [];
    this.#isWriting = false;
    return { closed: this.#log, open, writer };
  }

  /** A method of its own: as the body of a loop that runs once a request it is hardly ever compiled well. */
  #add(items: readonly Item[], index: number): void {
    // The caller keeps the index within the list.
    const item = items[index] as Item;
    const closed = this.#builder.closeBefore(item);
    if (closed.length > 0) this.#close(closed, items, index);
    this.#builder.add(item, index);
  }

  /** @param end index of the item that the messages come before */
  #close(messages: readonly ConversationMessage[], items: readonly Item[], end: number): void {
    for (const message of messages) this.#waiting.push(message);
    if (this.#pairing?.add(messages) === false) return;
    this.#writer.write(this.#waiting, this.#log);
    this.#waiting = [];
    this.#builder.keep();
    for (let i = this.#items.length; i < end; i += 1) this.#items.push(items[i] as Item);
  }
}
