import { expect, test } from "vitest";
import { addUsage, mergeUsage } from "./usage.js";

test("a later report of one response replaces the earlier one, field by field", () => {
  expect(
    mergeUsage({ inputTokens: 5, outputTokens: 1, raw: 1 }, { outputTokens: 9, raw: 2 }),
  ).toEqual({ inputTokens: 5, outputTokens: 9, raw: 2 });
});

test("responses are summed; what nobody reported stays absent", () => {
  expect(
    addUsage({ inputTokens: 5, raw: 1 }, { inputTokens: 2, cacheReadTokens: 3, raw: 2 }),
  ).toEqual({ inputTokens: 7, cacheReadTokens: 3 });
});
