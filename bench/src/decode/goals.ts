import { OURS, type Case, type Goal } from "../harness/measure.js";
import { median } from "../harness/statistics.js";
import type { Chunking } from "./chunking.js";
import { rivals } from "./rivals.js";
import type { WireName } from "./wires/wire.js";

/** A case, and what it is a case of. */
export interface DecodeCase {
  readonly wire: WireName;
  readonly chunking: Chunking;
  readonly result: Case;
}

/** What a worker holds after a turn. */
export interface Retained {
  readonly wire: WireName;
  readonly bytes: number;
  /** Of thinking, text and arguments. */
  readonly characters: number;
}

/** What is measured, with its unit. */
export const METRICS = {
  CPU: "CPU ms",
  CPU_WITH_WORKER: "CPU ms with Worker",
  WORKER_US: "Worker's own µs an event",
  FRESH_CPU: "CPU ms, fresh process",
  FRESH_RSS: "added RSS MB, fresh process",
} as const;

const BOUNDS = { cpu: 1.25, workerUs: 0.4, rss: 1.3, retainedBytesPerCharacter: 2 } as const;

/** G1 to G4. */
export function decodeGoals(
  measured: readonly DecodeCase[],
  retained: readonly Retained[],
): readonly Goal[] {
  const alone = measured.filter(({ result }) => Object.keys(result.ratioToRivals).length === 0);
  const valuesOf = (metric: string, pick: (result: Case) => number | null | undefined): Value[] =>
    alone.flatMap(({ wire, result }) => {
      const value = result.metric === metric ? pick(result) : undefined;
      return typeof value === "number" ? [{ name: `${wire}, ${result.name}`, value }] : [];
    });
  return [
    atMost(
      "G1",
      `CPU of each wire and chunking at most ${BOUNDS.cpu} x the limit`,
      BOUNDS.cpu,
      valuesOf(METRICS.CPU, ({ ratioToLimit }) => ratioToLimit),
    ),
    ...rivalGoal(measured.filter(({ result }) => result.metric === METRICS.CPU)),
    atMost(
      "G3",
      `the Worker's own CPU at most ${BOUNDS.workerUs} µs an event`,
      BOUNDS.workerUs,
      valuesOf(METRICS.WORKER_US, ({ medians }) => medians[OURS]),
    ),
    atMost(
      "G4",
      `added RSS at most ${BOUNDS.rss} x the limit`,
      BOUNDS.rss,
      valuesOf(METRICS.FRESH_RSS, ({ ratioToLimit }) => ratioToLimit),
    ),
    atMost(
      "G4, held",
      `after the turn a worker holds at most ${BOUNDS.retainedBytesPerCharacter} bytes for each character of the answer`,
      BOUNDS.retainedBytesPerCharacter,
      retained.map(({ wire, bytes, characters }) => ({ name: wire, value: bytes / characters })),
    ),
  ];
}

interface Value {
  readonly name: string;
  readonly value: number;
}

/** A goal that every value has to meet. */
export function atMost(id: string, bound: string, limit: number, values: readonly Value[]): Goal {
  const sorted = values.toSorted((a, b) => b.value - a.value);
  const over = sorted.filter(({ value }) => value > limit);
  const worst = sorted[0];
  const middle = median(values.map(({ value }) => value)).toFixed(2);
  const shown = (over.length > 0 ? over : sorted.slice(0, 1))
    .map(({ name, value }) => `${name}: ${value.toFixed(2)}`)
    .join("; ");
  return {
    id,
    bound,
    found:
      worst === undefined
        ? "not measured"
        : `median ${middle}, ${over.length > 0 ? `${over.length} of ${values.length} over` : "worst"}: ${shown}`,
    isMet: worst !== undefined && over.length === 0,
  };
}

function rivalGoal(cases: readonly DecodeCase[]): Goal[] {
  const found = rivals.flatMap((rival) => {
    const times = cases.flatMap(({ wire, chunking, result }) => {
      const ratio = result.ratioToRivals[rival.name];
      if (ratio === undefined) return [];
      return [{ wire, chunking, times: 1 / ratio, factor: rival.factor[chunking] }];
    });
    return times.length === 0 ? [] : [{ rival: rival.name, times }];
  });
  if (found.length === 0) return [];
  const missed = found.flatMap(({ rival, times }) =>
    times
      .filter((one) => one.times < one.factor)
      .map(
        (one) =>
          `${rival} on ${one.wire}, ${one.chunking}: ${one.times.toFixed(1)} of ${one.factor}`,
      ),
  );
  const least = found.map(({ rival, times }) => {
    const values = times.map((one) => one.times);
    return `${rival} ${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  });
  return [
    {
      id: "G2",
      bound:
        "less CPU than each rival, events and blocks (fragments): @anthropic-ai/sdk 1.6 (1.5), openai 4 (2), pi-ai 2.5 (2), @google/genai 6 (6), ollama 1.4 (1.4), @tanstack/ai and LangChain 8 (4), ai 15 (9) times",
      found:
        missed.length === 0
          ? `times as much CPU as ours: ${least.join(", ")}`
          : `missed: ${missed.join("; ")}; times as much CPU as ours: ${least.join(", ")}`,
      isMet: missed.length === 0,
    },
  ];
}
