import { expect, test } from "vitest";
import { interleave } from "./interleave.js";
import { growthExponent, median, quantile } from "./statistics.js";

test("subjects take turns, and ratios are made within a round", async () => {
  const order: string[] = [];
  const subject = (name: string, costs: number[]) => () => {
    order.push(name);
    return Promise.resolve({ "CPU ms": costs.shift() ?? Number.NaN });
  };
  const [row] = await interleave(
    "one event a write",
    {
      limit: subject("limit", [1, 10, 2]),
      "llm-worker": subject("llm-worker", [2, 15, 2]),
      rival: subject("rival", [8, 30, 16]),
    },
    { rounds: 3 },
  );
  expect(order.slice(0, 6)).toEqual([
    "limit",
    "llm-worker",
    "rival",
    "llm-worker",
    "rival",
    "limit",
  ]);
  expect(row).toMatchObject({
    metric: "CPU ms",
    medians: { limit: 2, "llm-worker": 2, rival: 16 },
    ratioToLimit: 1.5,
    ratioToRivals: { rival: 0.25 },
    rounds: 3,
  });
});

test("a rival that fails is told of and the others go on; the product's failure is an error", async () => {
  const fine = (): Promise<Record<string, number>> => Promise.resolve({ ms: 1 });
  const broken = (): Promise<never> => Promise.reject(new Error("Invalid string length"));
  const [row] = await interleave(
    "1 GB",
    { limit: fine, "llm-worker": fine, rival: broken },
    { rounds: 2 },
  );
  expect(row?.remarks).toEqual({ rival: "fails: Invalid string length" });
  await expect(interleave("1 GB", { "llm-worker": broken }, { rounds: 1 })).rejects.toThrow(
    "string",
  );
});

test("medians, quantiles and growth", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(quantile([1, 2, 3, 4], 0.99)).toBe(4);
  const squares = [1, 2, 4, 8].map((size) => ({ size, cost: 3 * size ** 2 }));
  expect(growthExponent(squares)).toBeCloseTo(2);
});
