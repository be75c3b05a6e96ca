import type { Item } from "../model/item.js";
import type { ConversationEntry } from "./conversation.js";

/**
 * Remembers what became of an item: items never change, so the bytes of a long history are made
 * when it grows and not again with every request.
 */
export class ItemMemo<T> {
  readonly #made = new WeakMap<Item, { readonly callId: string | undefined; readonly value: T }>();
  readonly #make: (entry: ConversationEntry) => T;

  constructor(make: (entry: ConversationEntry) => T) {
    this.#make = make;
  }

  get(entry: ConversationEntry): T {
    const known = this.#made.get(entry.item);
    if (known !== undefined && known.callId === entry.callId) return known.value;
    const value = this.#make(entry);
    this.#made.set(entry.item, { callId: entry.callId, value });
    return value;
  }
}
