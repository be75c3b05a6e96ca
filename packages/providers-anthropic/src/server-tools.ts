import { type ConversationMessage, isRecord, type Item, type Pairing } from "llm-worker";
import { SCHEME_NAME } from "./wire.js";

/** A call or a result of a tool that the server runs itself. */
interface ServerItem {
  readonly item: Item;
  readonly type: "use" | "result";
  /** That of the call. */
  readonly id: string;
}

const NONE: ReadonlySet<Item> = new Set();

/**
 * Items of server tools that cannot be sent: a result without its call is refused, and so is a call
 * without its result once the conversation has gone on (A20). A call that the server still works on
 * (A19) has at most results of our tools after it, and stays.
 *
 * @param answered ids of calls before these messages, all of which have their results
 * @param running items of the last answer, while it is the last
 */
export function unpairedServerItems(
  messages: readonly ConversationMessage[],
  answered: ReadonlySet<string>,
  running: ReadonlySet<Item>,
): ReadonlySet<Item> {
  const found = serverItems(messages);
  if (found.length === 0) return NONE;
  const uses = new Map<string, Item>();
  const answeredHere = new Set<string>();
  const unpaired = new Set<Item>();
  for (const { item, type, id } of found) {
    if (type === "use") uses.set(id, item);
    else if (uses.has(id)) answeredHere.add(id);
    else if (!answered.has(id)) unpaired.add(item);
  }
  for (const [id, item] of uses) {
    if (!answered.has(id) && !answeredHere.has(id) && !running.has(item)) unpaired.add(item);
  }
  return unpaired;
}

/** The last assistant message, unless the user has said something since. */
export function itemsOfLastAnswer(messages: readonly ConversationMessage[]): ReadonlySet<Item> {
  const last = messages.at(-1);
  const answer = last?.role === "assistant" ? last : messages.at(-2);
  const hasOnlyResults = last?.entries.every(({ item }) => item.type === "tool_result") ?? false;
  if (answer?.role !== "assistant" || !(last === answer || hasOnlyResults)) return new Set();
  return new Set(answer.entries.map(({ item }) => item));
}

/** Ids of the calls of server tools. */
export function serverCallIds(messages: readonly ConversationMessage[]): readonly string[] {
  return serverItems(messages).flatMap(({ type, id }) => (type === "use" ? id : []));
}

/** Waits for the results of server tools. */
export class ServerToolPairing implements Pairing {
  readonly #answered: ReadonlySet<string>;
  readonly #answeredHere = new Set<string>();
  readonly #waiting = new Set<string>();

  /** @param answered ids of calls before, all of which have their results */
  constructor(answered: ReadonlySet<string>) {
    this.#answered = answered;
  }

  add(messages: readonly ConversationMessage[]): boolean {
    for (const { type, id } of serverItems(messages)) {
      if (type === "result") {
        if (this.#waiting.delete(id)) this.#answeredHere.add(id);
      } else if (!this.#answered.has(id) && !this.#answeredHere.has(id)) {
        this.#waiting.add(id);
      }
    }
    return this.#waiting.size === 0;
  }
}

function serverItems(messages: readonly ConversationMessage[]): readonly ServerItem[] {
  const found: ServerItem[] = [];
  for (const { entries } of messages) {
    for (const { item } of entries) {
      if (item.type !== "opaque" || item.providerData.scheme !== SCHEME_NAME) continue;
      const { data } = item.providerData;
      if (!isRecord(data)) continue;
      const { tool_use_id: resultId, id } = data;
      if (typeof resultId === "string") found.push({ item, type: "result", id: resultId });
      else if (typeof id === "string") found.push({ item, type: "use", id });
    }
  }
  return found;
}
