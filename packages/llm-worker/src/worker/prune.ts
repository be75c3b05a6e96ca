import type { BlobStoreLike } from "../blob/blob-store.js";
import type { Hook } from "../hook/hook.js";
import type { Item } from "../model/item.js";
import { checkNumbers, type OutputLimits, resolveOutputLimits } from "../output/output-limits.js";
import type { Deadline } from "../output/store-deadline.js";
import { storeContent } from "../output/store-output.js";
import { previewOf, shorterCall, shorterResult, type Shortening } from "./shortening.js";
import { estimateTextTokens, type EstimateText } from "./token-estimator.js";

/** When {@link prune} acts, and where the contents go. */
export interface PruneOptions {
  /** Makes the prune lossless: a content that is in no store yet is stored first. */
  readonly store?: BlobStoreLike | undefined;
  /** The newest turns keep their contents. Default 3. */
  readonly protectedTurns?: number | undefined;
  /** Nothing is changed unless so many tokens are freed at once. Default 4096. */
  readonly minSavingsTokens?: number | undefined;
  /** The same in bytes, and then in the place of `minSavingsTokens`. */
  readonly minSavingsBytes?: number | undefined;
  /**
   * With a store, calls grow old as well: where their arguments have more bytes than this, the long
   * values go to the store and a reference takes their place. Default: calls stay as they are.
   */
  readonly minArgumentsBytes?: number | undefined;
  /** How the summaries of contents look that the prune stores, and how long the store may take. */
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
 * @throws OutputLimitsError if a number of the options is none
 * @example
 * worker.hook("preLlmRequest", prune({ store }));
 */
export function prune(options: PruneOptions = {}): Hook<"preLlmRequest"> {
  const { protectedTurns = DEFAULT_PROTECTED_TURNS } = options;
  const { minSavingsTokens, minSavingsBytes, minArgumentsBytes } = options;
  checkNumbers({ protectedTurns, minSavingsTokens, minSavingsBytes, minArgumentsBytes });
  const { minSavings, measure } = thresholdOf(options);
  const limits = resolveOutputLimits(options.output);
  const candidates = new Candidates(planner(options, limits), measure);

  // What a batch has stored that then freed too little, as other contents could not be stored.
  const shortened = new WeakMap<Item, Item>();
  // What there was to be saved when a store failed: it is asked again once there is a batch more, as one
  // that does not answer holds up a request for as long as it may take.
  const failedAt = new WeakMap<readonly Item[], number>();

  return async ({ items, lockedItemCount }, signal) => {
    const end = startOfNewestTurns(items, protectedTurns);
    const found = candidates.between(items, lockedItemCount, end);
    if (found.saved - (failedAt.get(items) ?? 0) < minSavings) return undefined;
    const deadline = { timeoutMs: limits.storeTimeoutMs, signal };
    const replaced = await Promise.all(
      found.candidates.map(async (candidate) => {
        const { item } = candidate;
        const shorter = shortened.get(item) ?? (await shorten(candidate, options, deadline));
        if (shorter !== undefined) shortened.set(item, shorter);
        return shorter;
      }),
    );
    const pruned = [...items];
    let saved = 0;
    for (const [i, { position, item }] of found.candidates.entries()) {
      const shorter = replaced[i];
      if (shorter === undefined) continue;
      pruned[position] = shorter;
      saved += sizeOf(item, measure) - sizeOf(shorter, measure);
    }
    if (saved >= minSavings) return { items: pruned, scope: "history" };
    if (replaced.includes(undefined)) failedAt.set(items, found.saved);
    return undefined;
  };
}

function planner(
  { store, minArgumentsBytes }: PruneOptions,
  limits: OutputLimits,
): (item: Item) => Shortening | undefined {
  return (item) => {
    if (item.type === "tool_result") return shorterResult(item, limits, store === undefined);
    if (item.type !== "tool_call" || store === undefined || minArgumentsBytes === undefined) {
      return undefined;
    }
    return shorterCall(item, minArgumentsBytes);
  };
}

async function shorten(
  { item, shortening }: Candidate,
  { store, onStoreFailure }: PruneOptions,
  deadline: Deadline,
): Promise<Item | undefined> {
  if (shortening.type === "ready") return shortening.item;
  if (store === undefined) return undefined;
  try {
    return shortening.item(await storeContent(store, shortening.content, deadline));
  } catch (error) {
    if ("callId" in item) onStoreFailure?.(error, item.callId);
    return undefined;
  }
}

/** How the size of a text is told, and how much of it a batch has to free. */
function thresholdOf(options: PruneOptions): {
  readonly minSavings: number;
  readonly measure: Measure;
} {
  const { minSavingsBytes, minSavingsTokens = DEFAULT_MIN_SAVINGS_TOKENS } = options;
  return minSavingsBytes === undefined
    ? { minSavings: minSavingsTokens, measure: options.estimateTextTokens ?? estimateTextTokens }
    : { minSavings: minSavingsBytes, measure: (text) => Buffer.byteLength(text) };
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

/** How an item can be shorter, and what that saves. */
interface Plan {
  readonly shortening: Shortening;
  readonly saved: number;
}

/** An item that can be shorter, and where it is. */
interface Candidate extends Plan {
  readonly position: number;
  readonly item: Item;
}

/**
 * Remembers what it has seen of a history that only grows, so that a request costs its new items.
 * What there is to be saved of an item is looked for once, also when a batch has put a new history
 * in the place of the old one: an output that cannot be shorter would be read again in each.
 */
class Candidates {
  readonly #plan: (item: Item) => Shortening | undefined;
  readonly #measure: Measure;
  readonly #plans = new WeakMap<Item, Plan | "as_it_is">();
  #items: readonly Item[] | undefined;
  #start = 0;
  #end = 0;
  #candidates: Candidate[] = [];
  #saved = 0;

  constructor(plan: (item: Item) => Shortening | undefined, measure: Measure) {
    this.#plan = plan;
    this.#measure = measure;
  }

  between(
    items: readonly Item[],
    start: number,
    end: number,
  ): { readonly candidates: readonly Candidate[]; readonly saved: number } {
    if (this.#items !== items || this.#start !== start || end < this.#end) {
      this.#items = items;
      this.#start = start;
      this.#end = start;
      this.#candidates = [];
      this.#saved = 0;
    }
    for (; this.#end < end; this.#end += 1) {
      const item = items[this.#end];
      const plan = item && this.#planOf(item);
      if (item === undefined || plan === undefined) continue;
      this.#candidates.push({ position: this.#end, item, ...plan });
      this.#saved += plan.saved;
    }
    return { candidates: this.#candidates, saved: this.#saved };
  }

  #planOf(item: Item): Plan | undefined {
    let plan = this.#plans.get(item);
    if (plan === undefined) {
      const shortening = this.#plan(item);
      const saved =
        shortening === undefined
          ? 0
          : sizeOf(item, this.#measure) - sizeOf(previewOf(shortening), this.#measure);
      plan = shortening === undefined || saved <= 0 ? "as_it_is" : { shortening, saved };
      this.#plans.set(item, plan);
    }
    return plan === "as_it_is" ? undefined : plan;
  }
}

type Measure = (text: string) => number;

/** Of what a prune can change, so that differences are right. */
function sizeOf(item: Item, measure: Measure): number {
  if (item.type === "tool_call") return measure(item.arguments);
  return item.type === "tool_result" ? measure(item.summary) + measure(item.content ?? "") : 0;
}
