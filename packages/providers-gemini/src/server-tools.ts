import { type ConversationMessage, isRecord, type Item, type Pairing } from "llm-worker";
import { SCHEME_NAME } from "./wire.js";

/** The fields of parts for tools that the server runs itself. */
const CALL = "toolCall";
const RESPONSE = "toolResponse";

/** A call or a response of such a tool. */
interface ServerHalf {
  readonly item: Item;
  readonly field: typeof CALL | typeof RESPONSE;
  readonly id: string;
}

/**
 * Items of server tools that lack their other half, as after an answer that was aborted: a call
 * without its response, or the other way round.
 *
 * @param paired ids of which both halves came before these messages
 */
export function unpairedServerItems(
  messages: readonly ConversationMessage[],
  paired: ReadonlySet<string>,
): ReadonlySet<Item> {
  const calls = new Map<string, Item>();
  const responses = new Map<string, Item>();
  for (const { item, field, id } of serverHalves(messages)) {
    if (!paired.has(id)) (field === CALL ? calls : responses).set(id, item);
  }
  const unpaired = new Set<Item>();
  for (const [id, item] of calls) if (!responses.has(id)) unpaired.add(item);
  for (const [id, item] of responses) if (!calls.has(id)) unpaired.add(item);
  return unpaired;
}

/** Ids of the server's tool calls and responses. */
export function serverIds(messages: readonly ConversationMessage[]): readonly string[] {
  return serverHalves(messages).map(({ id }) => id);
}

/** Waits for the other halves. */
export class ServerToolPairing implements Pairing {
  readonly #paired: ReadonlySet<string>;
  readonly #seen = { [CALL]: new Set<string>(), [RESPONSE]: new Set<string>() };
  readonly #waiting = new Set<string>();

  /** @param paired ids of which both halves came before */
  constructor(paired: ReadonlySet<string>) {
    this.#paired = paired;
  }

  add(messages: readonly ConversationMessage[]): boolean {
    for (const { field, id } of serverHalves(messages)) {
      if (this.#paired.has(id)) continue;
      this.#seen[field].add(id);
      const isPaired = this.#seen[CALL].has(id) && this.#seen[RESPONSE].has(id);
      if (isPaired) this.#waiting.delete(id);
      else this.#waiting.add(id);
    }
    return this.#waiting.size === 0;
  }
}

function serverHalves(messages: readonly ConversationMessage[]): readonly ServerHalf[] {
  const found: ServerHalf[] = [];
  for (const { entries } of messages) {
    for (const { item } of entries) {
      if (item.type !== "opaque" || item.providerData.scheme !== SCHEME_NAME) continue;
      for (const field of [CALL, RESPONSE] as const) {
        const { data } = item.providerData;
        const half = isRecord(data) ? data[field] : undefined;
        if (isRecord(half) && typeof half["id"] === "string") {
          found.push({ item, field, id: half["id"] });
        }
      }
    }
  }
  return found;
}
