import { createHash } from "node:crypto";

/** How long a cached prefix is asked to live. */
export type CacheLifetime = "5m" | "1h";

/** A part of a prompt in its cache order. */
export interface PromptBlock {
  readonly text: string;
  /** What else has to be the same for the block to be found again: its role, the model, settings. */
  readonly scope: string;
  /** Present where the prefix up to and with this block is to be cached. */
  readonly mark?: CacheLifetime | undefined;
}

/** Input tokens of one request. Their sum is the whole prompt. */
export interface PromptUsage {
  readonly uncachedTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: Readonly<Record<CacheLifetime, number>>;
}

/** Input tokens of one request on a wire that caches by itself. */
export interface AutomaticUsage {
  readonly totalTokens: number;
  readonly cachedTokens: number;
}

/** How a provider caches without being asked. */
export interface AutomaticCaching {
  /** Shorter prompts are not cached. */
  readonly minTokens: number;
  /** What is read is a multiple of this. */
  readonly stepTokens: number;
}

/** Prefixes shorter than this are not cached (the smallest minimum of any current model). */
export const MIN_CACHED_TOKENS = 512;

/** So far before a mark a prefix that was cached earlier is still found. */
const LOOK_BACK_BLOCKS = 20;

/** About as many tokens as a text has: a quarter of its bytes. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * The prompt cache of one server instance: an exact prefix that was marked before is read, up to
 * the last mark the rest is written. Nothing expires, so that the counts depend on the requests only.
 */
export class PromptCache {
  readonly #prefixes = new Set<string>();

  /** Counts one request and remembers the prefixes that it marks. */
  account(blocks: readonly PromptBlock[]): PromptUsage {
    const prefixes = hashPrefixes(blocks);
    const total = prefixes.at(-1)?.tokens ?? 0;
    const marked = blocks.flatMap((block, index) => {
      const tokens = prefixes[index]?.tokens ?? 0;
      return block.mark && tokens >= MIN_CACHED_TOKENS
        ? [{ index, tokens, lifetime: block.mark }]
        : [];
    });
    const cacheReadTokens = Math.max(0, ...marked.map((mark) => this.#find(prefixes, mark.index)));
    const cacheWriteTokens = { "5m": 0, "1h": 0 };
    let covered = cacheReadTokens;
    for (const mark of marked) {
      cacheWriteTokens[mark.lifetime] += Math.max(0, mark.tokens - covered);
      covered = Math.max(covered, mark.tokens);
      this.#prefixes.add(prefixes[mark.index]?.hash ?? "");
    }
    return { uncachedTokens: total - covered, cacheReadTokens, cacheWriteTokens };
  }

  /** Counts one request of a wire without marks: any prefix that was sent before is read. */
  accountAutomatic(blocks: readonly PromptBlock[], caching: AutomaticCaching): AutomaticUsage {
    const { minTokens, stepTokens } = caching;
    const prefixes = hashPrefixes(blocks);
    const known = prefixes.findLast((prefix) => this.#prefixes.has(prefix.hash))?.tokens ?? 0;
    for (const { hash } of prefixes) this.#prefixes.add(hash);
    const cachedTokens = known < minTokens ? 0 : known - (known % stepTokens);
    return { totalTokens: prefixes.at(-1)?.tokens ?? 0, cachedTokens };
  }

  /** Tokens of the longest known prefix that ends at a mark or shortly before it. */
  #find(prefixes: readonly Prefix[], mark: number): number {
    const near = prefixes.slice(Math.max(0, mark - LOOK_BACK_BLOCKS), mark + 1);
    return near.findLast((prefix) => this.#prefixes.has(prefix.hash))?.tokens ?? 0;
  }
}

interface Prefix {
  readonly hash: string;
  readonly tokens: number;
}

function hashPrefixes(blocks: readonly PromptBlock[]): Prefix[] {
  let hash = "";
  let bytes = 0;
  return blocks.map((block) => {
    hash = createHash("sha256").update(`${hash}\n${block.scope}\n${block.text}`).digest("hex");
    bytes += Buffer.byteLength(block.text);
    return { hash, tokens: Math.ceil(bytes / 4) };
  });
}
