import type { BlobStoreLike } from "../blob/blob-store.js";
import type { Hook } from "../hook/hook.js";
import type { Item, ToolResultItem } from "../model/item.js";
import { describeText } from "../output/describe.js";
import { type OutputLimits, resolveOutputLimits } from "../output/output-limits.js";
import { blobRef, summarize, withBlobId } from "../output/summary.js";
import { estimateTextTokens, type EstimateText } from "./token-estimator.js";

export interface PruneOptions {
  /** Makes the prune lossless: a content that is in no store yet is stored first. */
  readonly store?: BlobStoreLike | undefined;
  /** The newest turns keep their contents. Default 3. */
  readonly protectedTurns?: number | undefined;
  /** Nothing is changed unless so many tokens are freed at once. Default 4096. */
  readonly minSavingsTokens?: number | undefined;
  /** How the summaries of contents look that the prune stores. */
  readonly output?: Partial<OutputLimits> | undefined;
  readonly estimateTextTokens?: EstimateText | undefined;
  /** Told of a content that could not be stored; it stays in the history. */
  readonly onStoreFailure?: ((error: unknown, callId: string) => void) | undefined;
}

export const DEFAULT_PROTECTED_TURNS = 3;
export const DEFAULT_MIN_SAVINGS_TOKENS = 4096;

/**
 * Takes the contents of old tool results out of the history and leaves their summaries. In one
 * batch, only when that frees enough, and for good: the same bytes go out from then on. The locked
 * prefix and the newest turns stay as they are, and no item becomes longer.
 *
 * With a store nothing is lost: the summary names the blob that holds the content. Without one the
 * model would have to call the tool again.
 *
 * @example
 * worker.hook("preLlmRequest", prune({ store }));
 */
export function prune(options: PruneOptions = {}): Hook<"preLlmRequest"> {
  const { store, protectedTurns = DEFAULT_PROTECTED_TURNS } = options;
  const { minSavingsTokens = DEFAULT_MIN_SAVINGS_TOKENS } = options;
  const estimate = options.estimateTextTokens ?? estimateTextTokens;
  const limits = resolveOutputLimits(options.output);
  const candidates = new Candidates(estimate);

  return async ({ items, lockedItemCount }) => {
    const end = startOfNewestTurns(items, protectedTurns);
    const found = candidates.between(items, lockedItemCount, end);
    if (found.savedTokens < minSavingsTokens) return undefined;
    const replaced = await Promise.all(
      found.positions.map(async (position) => {
        // Only tool results with content are candidates.
        const item = items[position] as ToolResultItem;
        const shorter = await withoutContent(item, store, limits, options.onStoreFailure);
        return { position, item, shorter };
      }),
    );
    const pruned = [...items];
    let savedTokens = 0;
    for (const { position, item, shorter } of replaced) {
      if (shorter === undefined) continue;
      pruned[position] = shorter;
      savedTokens += resultTokens(item, estimate) - resultTokens(shorter, estimate);
    }
    return savedTokens < minSavingsTokens ? undefined : { items: pruned, scope: "history" };
  };
}

/** Index of the first item of the newest `count` turns. A turn begins with the model's answer. */
function startOfNewestTurns(items: readonly Item[], count: number): number {
  let turns = 0;
  let start = items.length;
  for (let i = items.length - 1; i >= 0 && turns < count; i -= 1) {
    if (!isAnswer(items[i])) continue;
    start = i;
    if (!isAnswer(items[i - 1])) turns += 1;
  }
  return turns < count ? 0 : start;
}

function isAnswer(item: Item | undefined): boolean {
  return (
    item !== undefined &&
    item.type !== "tool_result" &&
    !(item.type === "message" && item.role === "user")
  );
}

/** Remembers what it has seen of a history that only grows, so that a request costs its new items. */
class Candidates {
  readonly #estimate: EstimateText;
  #items: readonly Item[] | undefined;
  #start = 0;
  #end = 0;
  #positions: number[] = [];
  #savedTokens = 0;

  constructor(estimate: EstimateText) {
    this.#estimate = estimate;
  }

  between(
    items: readonly Item[],
    start: number,
    end: number,
  ): { readonly positions: readonly number[]; readonly savedTokens: number } {
    if (this.#items !== items || this.#start !== start || end < this.#end) {
      this.#items = items;
      this.#start = start;
      this.#end = start;
      this.#positions = [];
      this.#savedTokens = 0;
    }
    for (; this.#end < end; this.#end += 1) {
      const item = items[this.#end];
      if (item?.type !== "tool_result" || item.content === undefined) continue;
      this.#positions.push(this.#end);
      this.#savedTokens += this.#estimate(item.content);
    }
    return { positions: this.#positions, savedTokens: this.#savedTokens };
  }
}

/** The result with its summary alone, or `undefined` where that is not possible or not shorter. */
async function withoutContent(
  item: ToolResultItem,
  store: BlobStoreLike | undefined,
  limits: OutputLimits,
  onStoreFailure: PruneOptions["onStoreFailure"],
): Promise<ToolResultItem | undefined> {
  const { content = "", ...rest } = item;
  if (item.blob !== undefined || store === undefined) return rest;
  const described = describeText(content, limits.summaryMaxBytes);
  const summary = summarize(described.overview, limits);
  const whole = Buffer.byteLength(item.summary) + Buffer.byteLength(content);
  if (Buffer.byteLength(summary) + ID_LINE_BYTES >= whole) return undefined;
  try {
    const id = await store.store(described.content);
    return {
      ...rest,
      summary: withBlobId(id, summary),
      blob: blobRef(id, described.overview.stat),
    };
  } catch (error) {
    onStoreFailure?.(error, item.callId);
    return undefined;
  }
}

/** Room for an id that is longer than a UUID. */
const ID_LINE_BYTES = 128;

function resultTokens({ summary, content = "" }: ToolResultItem, estimate: EstimateText): number {
  return estimate(summary) + estimate(content);
}
