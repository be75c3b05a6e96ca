import type { Usage } from "../model/event.js";

const COUNTERS = [
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
] as const;

/** The later report replaces the earlier one, field by field. */
export function mergeUsage(earlier: Usage, later: Usage): Usage {
  return combine(earlier, later, (_before, after) => after);
}

/** Sums two responses. A counter that neither reports stays absent. */
export function addUsage(one: Usage, other: Usage): Usage {
  const { raw: _perResponse, ...sum } = combine(one, other, (a, b) => a + b);
  return sum;
}

function combine(one: Usage, other: Usage, both: (a: number, b: number) => number): Usage {
  const combined: { -readonly [Field in keyof Usage]: Usage[Field] } = {};
  for (const counter of COUNTERS) {
    const a = one[counter];
    const b = other[counter];
    if (a !== undefined && b !== undefined) combined[counter] = both(a, b);
    else if ((a ?? b) !== undefined) combined[counter] = a ?? b;
  }
  const raw = other.raw ?? one.raw;
  if (raw !== undefined) combined.raw = raw;
  return combined;
}
