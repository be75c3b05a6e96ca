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
  items.forEach((item, position) => builder.add(item, position));
  return builder.finish();
}

interface PendingCall {
  readonly item: ToolCallItem;
  readonly position: number;
  readonly callId: string;
}

class ConversationBuilder {
  readonly #messages: ConversationMessage[] = [];
  readonly #usedIds = new Set<string>();
  #assistant: ConversationEntry[] = [];
  #results: ConversationEntry[] = [];
  #user: ConversationEntry[] = [];
  /** Calls of the open assistant message that have no result yet, in order. */
  #pending: PendingCall[] = [];

  add(item: Item, position: number): void {
    if (item.type === "tool_result") {
      this.#addResult(item, position);
    } else if (item.type === "message" && item.role === "user") {
      this.#user.push({ item, position });
    } else {
      if (this.#results.length > 0 || this.#user.length > 0) this.#closeExchange();
      if (item.type === "tool_call") this.#addCall(item, position);
      else this.#assistant.push({ item, position });
    }
  }

  finish(): readonly ConversationMessage[] {
    this.#closeExchange();
    return this.#messages;
  }

  #addCall(item: ToolCallItem, position: number): void {
    let callId = item.callId;
    for (let n = 2; this.#usedIds.has(callId); n++) callId = `${item.callId}#${n}`;
    this.#usedIds.add(callId);
    this.#pending.push({ item, position, callId });
    this.#assistant.push({ item, position, callId });
  }

  #addResult(item: ToolResultItem, position: number): void {
    const index = this.#pending.findIndex((call) => call.item.callId === item.callId);
    const [call] = index < 0 ? [] : this.#pending.splice(index, 1);
    if (call !== undefined) this.#results.push({ item, position, callId: call.callId });
  }

  /** Ends an assistant message together with the user message that answers it. */
  #closeExchange(): void {
    for (const { item, position, callId } of this.#pending) {
      this.#results.push({ item: missingResult(item), position, callId });
    }
    this.#push("assistant", this.#assistant);
    this.#push("user", [...this.#results, ...this.#user]);
    this.#assistant = [];
    this.#results = [];
    this.#user = [];
    this.#pending = [];
  }

  #push(role: "user" | "assistant", entries: readonly ConversationEntry[]): void {
    if (entries.length > 0) this.#messages.push({ role, entries });
  }
}

function missingResult(call: ToolCallItem): ToolResultItem {
  return { type: "tool_result", callId: call.callId, summary: MISSING_RESULT_TEXT, isError: true };
}
