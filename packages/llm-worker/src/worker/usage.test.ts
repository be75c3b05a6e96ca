import { expect, test } from "vitest";
import { addUsage, mergeUsage } from "./usage.js";

test("a later report of one response replaces the earlier one, field by field", () => {
  expect(
    mergeUsage({ inputTokens: 5, outputTokens: 1, raw: 1 }, { outputTokens: 9, raw: 2 }),
  ).toEqual({ inputTokens: 5, outputTokens: 9, raw: 2 });
});

test("a report that leaves out a field does not take it back", () => {
  const all = {
    inputTokens: 1,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    outputTokens: 4,
    reasoningTokens: 5,
    raw: 6,
  };
  expect(mergeUsage(all, {})).toEqual(all);
  expect(mergeUsage({}, all)).toEqual(all);
});

test("responses are summed; what nobody reported stays absent", () => {
  expect(
    addUsage(
      { inputTokens: 5, outputTokens: 1, raw: 1 },
      { inputTokens: 2, cacheReadTokens: 3, raw: 2 },
    ),
  ).toEqual({ inputTokens: 7, outputTokens: 1, cacheReadTokens: 3 });
});
