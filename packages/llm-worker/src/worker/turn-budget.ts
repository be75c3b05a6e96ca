import type { BlobStoreLike } from "../blob/blob-store.js";
import { errorMessage } from "../errors.js";
import { type ToolResultItem, toolResultText } from "../model/item.js";
import { type Described, describeText } from "../output/describe.js";
import type { PolicyContext, ToolResultFields } from "../output/policy.js";
import { storeFailureCode } from "../output/store-deadline.js";
import { deadlineOf } from "../output/store-failure.js";
import { savesHalf, storeContent, storedFields } from "../output/store-output.js";
import { summarize, type SummaryParts, UUID_PREFIX_BYTES } from "../output/summary.js";
import { wordsBeside } from "../output/summary-and-content.js";
import type { RunContext } from "./run-context.js";
import type { OpenTurn } from "./state.js";

/** Default for what the parallel results of one turn may have in the history together. */
export const DEFAULT_TURN_INLINE_MAX_BYTES = 65_536;

/** A result that has just been made, and what its policy was told. */
export interface NewResult {
  readonly item: ToolResultItem;
  readonly context: PolicyContext;
}

interface TurnBudget {
  readonly maxBytes: number;
  /** What the turn's other results take of it. */
  readonly usedBytes: number;
  readonly store: BlobStoreLike;
}

/** Parallel results have a common budget; a result alone has only the limits of its tool. */
export async function shareTurnBudget(
  run: RunContext,
  turn: OpenTurn,
  newResults: ReadonlyMap<number, NewResult>,
): Promise<void> {
  const { store, turnInlineMaxBytes: maxBytes, tools } = run.deps;
  if (store === undefined || turn.calls.length < 2 || newResults.size === 0) return;
  const positions: number[] = [];
  const results: NewResult[] = [];
  let usedBytes = 0;
  for (const [position, { name }] of turn.calls.entries()) {
    const item = turn.results[position];
    const result = newResults.get(position);
    if (result !== undefined) {
      positions.push(position);
      results.push(result);
    } else if (item !== undefined && tools.get(name)?.readsBack !== true) {
      // What was read back does not count: it was asked for, and is capped by its own tool.
      usedBytes += resultBytes(item);
    }
  }
  const fitted = await fitTurnBudget(results, { maxBytes, usedBytes, store });
  for (const [i, position] of positions.entries()) turn.results[position] = fitted[i];
}

/**
 * Keeps the parallel results of a turn within their common budget: the largest go to the store and
 * leave their summary, until the rest fits. A result whose summary would save less than half of it
 * stays, as does one that the store does not take; that is reported.
 *
 * @returns the results in their order; those that stay are the same objects
 */
async function fitTurnBudget(
  results: readonly NewResult[],
  { maxBytes, usedBytes, store }: TurnBudget,
): Promise<ToolResultItem[]> {
  const items = results.map(({ item }) => item);
  let excessBytes = usedBytes + sum(items.map(resultBytes)) - maxBytes;
  if (excessBytes <= 0) return items;
  const moves = results.flatMap((result, position) => planMove(result, position) ?? []);
  moves.sort((a, b) => b.byteCount - a.byteCount);
  const chosen: Move[] = [];
  for (const move of moves) {
    if (excessBytes <= 0) break;
    excessBytes -= move.savedBytes;
    chosen.push(move);
  }
  await Promise.all(
    chosen.map(async (move) => {
      items[move.position] = await moveToStore(move, store);
    }),
  );
  return items;
}

/** Bytes that a result takes in the history. */
function resultBytes(item: ToolResultItem): number {
  return Buffer.byteLength(toolResultText(item));
}

interface Move extends NewResult {
  readonly position: number;
  readonly described: Described;
  readonly parts: SummaryParts;
  readonly byteCount: number;
  readonly savedBytes: number;
}

function planMove({ item, context }: NewResult, position: number): Move | undefined {
  const isElsewhere = item.blob !== undefined || item.files !== undefined;
  if (isElsewhere && item.content === undefined) return undefined;
  const described = describeText(item.content ?? item.summary, context.limits.summaryMaxBytes);
  const parts = partsOf(item);
  const summaryBytes =
    UUID_PREFIX_BYTES + Buffer.byteLength(summarize(described.overview, context.limits, parts));
  if (!savesHalf(summaryBytes, described.overview.stat)) return undefined;
  const byteCount = resultBytes(item);
  return {
    item,
    context,
    position,
    described,
    parts,
    byteCount,
    savedBytes: byteCount - summaryBytes,
  };
}

/** What the summary beside a content says of its own stays. */
function partsOf({ summary, content, blob }: ToolResultItem): SummaryParts {
  if (content === undefined) return {};
  if (blob === undefined) return { own: wordsBeside(summary, content) };
  const lineEnd = summary.indexOf("\n");
  return lineEnd === -1 ? {} : { own: summary.slice(lineEnd + 1) };
}

async function moveToStore(move: Move, store: BlobStoreLike): Promise<ToolResultItem> {
  const { item, context, described, parts } = move;
  const { content: _content, ...rest } = item;
  const stored = (fields: ToolResultFields): ToolResultItem => ({ ...rest, ...fields });
  const silent = { ...context, report: () => undefined };
  if (item.blob !== undefined) {
    return stored(storedFields(item.blob.id, described.overview, silent, parts));
  }
  try {
    const id = await storeContent(store, described.content, deadlineOf(context));
    return stored(storedFields(id, described.overview, context, parts));
  } catch (error) {
    const { byteCount } = described.overview.stat;
    context.report({
      type: "output_store_failed",
      callId: context.callId,
      toolName: context.toolName,
      code: storeFailureCode(error),
      message: errorMessage(error),
      byteCount,
      keptBytes: byteCount,
    });
    return item;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
