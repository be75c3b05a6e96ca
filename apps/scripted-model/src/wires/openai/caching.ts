import type { AutomaticCaching, AutomaticUsage } from "../../prompt-cache.js";

/** Both APIs read prompts from 1,024 tokens on, in steps of 128. */
export const OPENAI_CACHING: AutomaticCaching = { minTokens: 1024, stepTokens: 128 };

/** What a request adds to the cache: all of a long enough prompt that was not read from it. */
export function writtenTokens({ totalTokens, cachedTokens }: AutomaticUsage): number {
  return totalTokens < OPENAI_CACHING.minTokens ? 0 : totalTokens - cachedTokens;
}
