import type { Item, ToolCallItem, ToolResultItem } from "../model/item.js";

/** Told to the model in place of a result that was never recorded. */
export const MISSING_RESULT_TEXT =
  "No result: the call was interrupted. Whether it had an effect is not known; check before you call again.";

/** Stands in for a beginning that the history no longer has, where the first message is the user's. */
export const MISSING_START_TEXT = "[The beginning of this conversation is not included.]";

/** Ends a history that ends with the assistant, for wires that do not go on from its own words. */
export const CONTINUE_TEXT = "Continue.";

/** Consecutive items of one side. */
export interface ConversationMessage {
  readonly role: "user" | "assistant";
  readonly entries: readonly ConversationEntry[];
}

/** An item in its place on the wire. */
export interface ConversationEntry {
  readonly item: Item;
  /** Index in the history; a made-up result has that of its call. */
  readonly position: number;
  /** For calls and results: an id that no other call of the history has. */
  readonly callId?: string | undefined;
}

/**
 * A history in the form that wires with alternating messages want, with every repair that keeps a
 * server from refusing it:
 * - items of one side are merged; results come first in the message after their calls,
 * - a call without result gets an error result, a result without call is left out,
 * - a call id used again is told apart, the same in the call and its result.
 *
 * Pure, and stable: what becomes of an item does not depend on items after the next answer.
 */
export function toConversation(items: readonly Item[]): readonly ConversationMessage[] {
  const builder = new ConversationBuilder();
  const messages: ConversationMessage[] = [];
  for (const [position, item] of items.entries()) {
    messages.push(...builder.closeBefore(item));
    builder.add(item, position);
  }
  messages.push(...builder.open());
  return messages;
}

interface PendingCall {
  readonly item: ToolCallItem;
  readonly position: number;
  readonly callId: string;
}

/**
 * Makes a conversation of items that come one by one. What is handed out as closed is final; the
 * items since the last {@link keep} can be taken back.
 */
export class ConversationBuilder {
  readonly #callIds = new CallIds();
  #assistant: ConversationEntry[] = [];
  #results: ConversationEntry[] = [];
  #user: ConversationEntry[] = [];
  /** Calls of the open assistant message that have no result yet, in order. */
  #pending: PendingCall[] = [];

  /** The messages that are closed if this item is added next. */
  closeBefore(item: Item): readonly ConversationMessage[] {
    const isAnswered = this.#results.length > 0 || this.#user.length > 0;
    if (!isAnswered || sideOf(item) === "user") return [];
    const closed = this.open();
    this.#forgetOpen();
    return closed;
  }

  add(item: Item, position: number): void {
    if (item.type === "tool_result") this.#addResult(item, position);
    else if (item.type === "tool_call") this.#addCall(item, position);
    else if (sideOf(item) === "user") this.#user.push({ item, position });
    else this.#assistant.push({ item, position });
  }

  /** The last answer and what follows it, if the conversation ended here. */
  open(): readonly ConversationMessage[] {
    const results = [...this.#results];
    for (const { item, position, callId } of this.#pending) {
      results.push({ item: missingResult(item), position, callId });
    }
    const messages: ConversationMessage[] = [];
    if (this.#assistant.length > 0) messages.push({ role: "assistant", entries: this.#assistant });
    const entries = [...results, ...this.#user];
    if (entries.length > 0) messages.push({ role: "user", entries });
    return messages;
  }

  /** What was closed stays. Only in between: before the next item is added. */
  keep(): void {
    this.#callIds.keep();
  }

  /** Takes back everything that was not kept. */
  restart(): void {
    this.#callIds.restart();
    this.#forgetOpen();
  }

  #addCall(item: ToolCallItem, position: number): void {
    const callId = this.#callIds.claim(item.callId);
    this.#pending.push({ item, position, callId });
    this.#assistant.push({ item, position, callId });
  }

  #addResult(item: ToolResultItem, position: number): void {
    const index = this.#pending.findIndex((call) => call.item.callId === item.callId);
    const [call] = index < 0 ? [] : this.#pending.splice(index, 1);
    if (call !== undefined) this.#results.push({ item, position, callId: call.callId });
  }

  #forgetOpen(): void {
    this.#assistant = [];
    this.#results = [];
    this.#user = [];
    this.#pending = [];
  }
}

/** Tells apart calls of one id: the second is `ID#2`. */
class CallIds {
  readonly #used = new Set<string>();
  /** Those of {@link #used} that can be taken back. */
  #claimed: string[] = [];
  /** From which number on one may be free, by id: some models give all their calls the same. */
  readonly #next = new Map<string, number>();
  readonly #claimedNext = new Map<string, number>();

  claim(id: string): string {
    let callId = id;
    if (this.#used.has(id)) {
      let next = this.#claimedNext.get(id) ?? this.#next.get(id) ?? 2;
      do callId = `${id}#${next++}`;
      while (this.#used.has(callId));
      this.#claimedNext.set(id, next);
    }
    this.#used.add(callId);
    this.#claimed.push(callId);
    return callId;
  }

  keep(): void {
    this.#claimed = [];
    if (this.#claimedNext.size === 0) return;
    for (const [id, next] of this.#claimedNext) this.#next.set(id, next);
    this.#claimedNext.clear();
  }

  restart(): void {
    for (const callId of this.#claimed) this.#used.delete(callId);
    this.#claimed = [];
    this.#claimedNext.clear();
  }
}

/** Whose message an item belongs to. */
export function sideOf(item: Item): "user" | "assistant" {
  if (item.type === "message") return item.role;
  return item.type === "tool_result" ? "user" : "assistant";
}

function missingResult(call: ToolCallItem): ToolResultItem {
  return { type: "tool_result", callId: call.callId, summary: MISSING_RESULT_TEXT, isError: true };
}
