import { isDeepStrictEqual } from "node:util";
import type { Item } from "llm-worker";
import type { HistoryEdit } from "./session-entry.js";

/** How one history became another. */
export interface HistoryDifference {
  readonly edits: readonly HistoryEdit[];
  /** The edits make so many items of the new history; those behind them were appended. */
  readonly keptCount: number;
}

/**
 * The edits of a history that, as a rule, only grows: items replaced one for one, or, where that
 * takes fewer words, one part replaced by another. An item that is the same object is the same item.
 */
export function historyEdits(before: readonly Item[], after: readonly Item[]): HistoryDifference {
  const start = commonPrefix(before, after);
  if (start === before.length) return { edits: [], keptCount: start };
  const end = commonSuffix(before, after, start);
  const spliced = {
    start,
    deleteCount: before.length - start - end,
    items: after.slice(start, after.length - end),
  };
  if (after.length < before.length) return { edits: [spliced], keptCount: after.length };
  const replaced = replacements(before, after, start);
  const replacedCount = replaced.reduce((sum, { items }) => sum + items.length, 0);
  const appendedCount = after.length - before.length;
  return replacedCount + appendedCount <= spliced.items.length
    ? { edits: replaced, keptCount: before.length }
    : { edits: [spliced], keptCount: after.length };
}

/** Runs of items that stand in the place of others. */
function replacements(
  before: readonly Item[],
  after: readonly Item[],
  from: number,
): readonly HistoryEdit[] {
  const edits: HistoryEdit[] = [];
  for (let i = from; i < before.length; i += 1) {
    if (isSame(before[i], after[i])) continue;
    const start = i;
    while (i < before.length && !isSame(before[i], after[i])) i += 1;
    edits.push({ start, deleteCount: i - start, items: after.slice(start, i) });
  }
  return edits;
}

function commonPrefix(before: readonly Item[], after: readonly Item[]): number {
  const limit = Math.min(before.length, after.length);
  let count = 0;
  while (count < limit && isSame(before[count], after[count])) count += 1;
  return count;
}

function commonSuffix(before: readonly Item[], after: readonly Item[], prefix: number): number {
  const limit = Math.min(before.length, after.length) - prefix;
  let count = 0;
  while (
    count < limit &&
    isSame(before[before.length - 1 - count], after[after.length - 1 - count])
  ) {
    count += 1;
  }
  return count;
}

function isSame(a: Item | undefined, b: Item | undefined): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
