import { isDeepStrictEqual } from "node:util";
import type { Item } from "llm-worker";
import type { OpenTurn, RecordedResult, SessionChange } from "./session-entry.js";

type Change = Extract<
  SessionChange,
  { type: "assistant_items" | "tool_results" | "user_input"; items: unknown }
>;
type ChangeType = Change["type"];

/** Whether both are the turn of the same calls. */
export function isSameTurn(a: OpenTurn, b: OpenTurn | undefined): b is OpenTurn {
  return b !== undefined && (a.calls === b.calls || isDeepStrictEqual(a.calls, b.calls));
}

/**
 * New items of a history in entries, by who they come from. Each entry leaves a history that can be
 * continued: calls are in one entry with their results, or open the turn that waits for them.
 *
 * @param before the turn that was open when the items came
 * @param after the turn that is open now
 */
export function appendedChanges(
  items: readonly Item[],
  before: OpenTurn | undefined,
  after: OpenTurn | undefined,
): readonly Change[] {
  const closing = before !== undefined && !isSameTurn(before, after) ? before : undefined;
  const changes: Change[] = [];
  let group: Item[] = [];
  let type: ChangeType | undefined;
  let awaited = closing?.calls.length ?? 0;
  // What waited for the results enters with them.
  const together = closing === undefined ? 0 : awaited + closing.followUp.length;
  const flush = (openTurn?: OpenTurn): void => {
    const turn = changes.length === 0 ? closing : undefined;
    if (type !== undefined) changes.push(changeOf(type, group, turn, openTurn));
    group = [];
  };
  for (const item of items) {
    const next = typeOf(item);
    const isComplete = awaited === 0 && (changes.length > 0 || group.length >= together);
    if (type !== undefined && next !== type && isComplete) {
      flush();
      type = next;
    }
    type ??= next;
    group.push(item);
    if (item.type === "tool_call") awaited += 1;
    if (item.type === "tool_result") awaited = Math.max(0, awaited - 1);
  }
  const opened = after !== undefined && (before === undefined || !isSameTurn(before, after));
  flush(opened ? after : undefined);
  return changes;
}

function typeOf(item: Item): ChangeType {
  switch (item.type) {
    case "tool_result":
      return "tool_results";
    case "message":
      return item.role === "user" ? "user_input" : "assistant_items";
    case "tool_call":
    case "reasoning":
    case "opaque":
      return "assistant_items";
  }
}

function changeOf(
  type: ChangeType,
  items: readonly Item[],
  closing: OpenTurn | undefined,
  opened: OpenTurn | undefined,
): Change {
  switch (type) {
    case "user_input":
      return { type, items };
    case "assistant_items":
      return opened === undefined
        ? { type, items }
        : { type, items, openTurn: { stop: opened.stop } };
    case "tool_results":
      return { type, items: items.map((item) => asRecorded(item, closing) ?? item) };
  }
}

function asRecorded(item: Item, turn: OpenTurn | undefined): RecordedResult | undefined {
  const position =
    turn?.results.findIndex((result) => result === item || isDeepStrictEqual(result, item)) ?? -1;
  return position < 0 ? undefined : { type: "recorded", position };
}
