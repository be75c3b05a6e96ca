import { expect, test } from "vitest";
import { findingsOf, growth, promisesPerDelta } from "./report.js";
import type { Sample } from "./sample.js";

function sample(turns: number, rssBytes = 100e6): Sample {
  return {
    seconds: 30,
    cpuSeconds: 10,
    referenceMs: 1,
    turns,
    events: 25 * turns,
    conversations: turns / 10,
    rssBytes,
    heapBytes: 40e6,
    externalBytes: 1e6,
    eventMicros: { p50: 1, p99: 20, max: 900, count: 1000 },
  };
}

const rest = { failures: [], left: {}, blobFileCount: 0 };
const promises = [
  { deltas: 100, promises: 107 },
  { deltas: 1000, promises: 107 },
];

test("growth is of the last third over the first, and the warm-up does not count", () => {
  const turns = [1, 1, 100, 110, 120, 100, 110, 105, 50, 60];
  const { first, last, ratio } = growth(
    turns.map((count) => sample(count)),
    ({ turns: count }) => count,
  );
  expect({ first, last }).toEqual({ first: 105, last: 55 });
  expect(ratio).toBeCloseTo(0.52, 2);
});

test("promises per delta are told from answers of two lengths", () => {
  expect(promisesPerDelta(promises)).toBe(0);
  expect(promisesPerDelta([...promises, { deltas: 2000, promises: 3907 }])).toBe(2);
});

test("a machine that is slower for a while is no loss of throughput", () => {
  const samples = Array.from({ length: 10 }, (_, i) => ({
    ...sample(1000 / (i + 1)),
    referenceMs: i + 1,
  }));
  const { goals } = findingsOf({
    workerCount: 200,
    samples,
    rest,
    promises,
    conversations: [],
    isJudged: true,
  });
  expect(goals.find(({ id }) => id === "flat throughput")?.isMet).toBe(true);
});

test("a soak that grows or leaves something open misses its goals", () => {
  const samples = Array.from({ length: 10 }, (_, i) => sample(1000 - 50 * i, 100e6 + 5e6 * i));
  const facts = { workerCount: 200, samples, promises, conversations: [], isJudged: true };
  const missed = findingsOf({ ...facts, rest: { ...rest, left: { Timeout: 3 } } });
  expect(missed.goals.filter(({ isMet }) => !isMet).map(({ id }) => id)).toEqual([
    "flat throughput",
    "flat memory",
    "nothing left open",
  ]);
  const steady = findingsOf({ ...facts, samples: samples.map(() => sample(1000)), rest });
  expect(steady.goals.every(({ isMet }) => isMet)).toBe(true);
});

test("a wrong answer is a fault, and a short run judges nothing but the promises", () => {
  const failures = ["a", "b", "c", "d", "e", "f", "g"];
  const { faults, goals } = findingsOf({
    workerCount: 20,
    samples: [sample(10)],
    rest: { ...rest, failures },
    promises,
    conversations: [],
    isJudged: false,
  });
  expect(faults).toEqual(["a", "b", "c", "d", "e", "and 2 more"]);
  expect(goals.map(({ id }) => id)).toEqual(["G3"]);
});
