import type { Usage } from "../model/event.js";

const COUNTERS = [
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
] as const;

/** The later report replaces the earlier one, field by field. Some servers report with every delta. */
export function mergeUsage(earlier: Usage, later: Usage): Usage {
  return {
    inputTokens: later.inputTokens ?? earlier.inputTokens,
    cacheReadTokens: later.cacheReadTokens ?? earlier.cacheReadTokens,
    cacheWriteTokens: later.cacheWriteTokens ?? earlier.cacheWriteTokens,
    outputTokens: later.outputTokens ?? earlier.outputTokens,
    reasoningTokens: later.reasoningTokens ?? earlier.reasoningTokens,
    raw: later.raw ?? earlier.raw,
  };
}

/** Sums two responses. A counter that neither reports stays absent. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: { -readonly [Field in keyof Usage]: Usage[Field] } = {};
  for (const counter of COUNTERS) {
    const [a, b] = [one[counter], other[counter]];
    if (a !== undefined || b !== undefined) sum[counter] = (a ?? 0) + (b ?? 0);
  }
  return sum;
}
