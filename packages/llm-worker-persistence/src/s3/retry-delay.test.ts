import { expect, test } from "vitest";
import { growingDelayMs } from "./retry-delay.js";

test("each wait is twice the one before, up to ten seconds", () => {
  const longest = [1, 2, 3, 4, 20].map((failedAttempts) => growingDelayMs(failedAttempts, () => 1));
  expect(longest).toEqual([100, 200, 400, 800, 10_000]);
});

test("chance makes a wait shorter by half at most", () => {
  expect(growingDelayMs(3, () => 0)).toBe(200);
  expect(growingDelayMs(3, () => 0.5)).toBe(300);
});
