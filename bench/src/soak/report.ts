import type { Case, Findings, Goal } from "../harness/measure.js";
import { hasRivals } from "../harness/rivals.js";
import { median } from "../harness/statistics.js";
import { conversationGoals } from "./beside-rivals.js";
import type { PromiseCounts } from "./promise-count-child.js";
import type { Rest, Sample } from "./sample.js";

/** The first fifth of the samples is warm-up: code is compiled, pools and heap find their size. */
const WARM_UP_SHARE = 0.2;
const MAX_THROUGHPUT_LOSS = 0.1;
const MAX_RSS_GROWTH = 0.1;
const MAX_HEAP_GROWTH = 0.05;
const MAX_P99_MICROS = 1000;
const MEGABYTE = 1e6;
const UNITS = 1000;

/** All that a soak has brought. */
export interface SoakFacts {
  readonly workerCount: number;
  readonly samples: readonly Sample[];
  readonly rest: Rest;
  readonly promises: PromiseCounts;
  /** The CPU of short conversations, beside rivals. */
  readonly conversations: readonly Case[];
  /** Whether there is enough of it to say that something is flat. */
  readonly isJudged: boolean;
}

/** What to tell of a soak. */
export function findingsOf(facts: SoakFacts): Findings {
  const { samples, rest, workerCount, promises, conversations } = facts;
  const sum = (pick: (sample: Sample) => number): number =>
    samples.reduce((total, sample) => total + pick(sample), 0);
  const perDelta = promisesPerDelta(promises);
  return {
    cases: conversations,
    table: formatSamples(samples).join("\n"),
    goals: [
      {
        id: "G3",
        bound: "no promise per delta while no async hook listens",
        found: `${perDelta} per delta (${promises.map((one) => `${one.promises} for ${one.deltas}`).join(", ")})`,
        isMet: perDelta === 0,
      },
      ...(facts.isJudged ? flatnessGoals(samples, rest) : []),
      ...(facts.isJudged ? conversationGoals(conversations) : []),
    ],
    notes: [
      `${workerCount} workers, ${sum((one) => one.conversations)} conversations, ${sum((one) => one.turns)} turns, ${sum((one) => one.events)} events; every answer was checked for what it had to quote.`,
      "A worker's own time for an event is from handing it over to being asked for the next one of the same piece: " +
        "timelines, callbacks and watchers, all synchronous, and the garbage collection that falls into it. Every eighth piece is timed.",
      "A unit is a JSON document of 70 KB read and written, four times a second in the same process: others share the machine, and then a turn and a unit take more CPU alike.",
      "CPU is that of the process with the workers, tools and store in it; the scripted model has its own. " +
        "The heap is read right after a collection, RSS right before it.",
      "`ai` has no store: it sends every output whole, with each later request. Conversations beside it are on three wires, as its are.",
      ...(hasRivals() ? [] : ["The rivals are not installed, so there is nothing beside ours."]),
    ],
    details: { samples, rest, promises },
    faults: faultsOf(rest),
  };
}

/** The samples as a table in Markdown, a line for each. */
export function formatSamples(samples: readonly Sample[]): string[] {
  let minutes = 0;
  return [
    "| minutes | turns/s | events/s | turns/CPU s | turns/1000 units | RSS MB | heap MB | own time of an event: p50 | p99 | max µs |",
    "|---|---|---|---|---|---|---|---|---|---|",
    ...samples.map((sample) => {
      minutes += sample.seconds / 60;
      const { p50, p99, max } = sample.eventMicros;
      const cells = [
        minutes.toFixed(1),
        (sample.turns / sample.seconds).toFixed(0),
        (sample.events / sample.seconds).toFixed(0),
        (sample.turns / sample.cpuSeconds).toFixed(0),
        turnsForUnits(sample).toFixed(0),
        (sample.rssBytes / MEGABYTE).toFixed(0),
        (sample.heapBytes / MEGABYTE).toFixed(1),
        p50.toFixed(1),
        p99.toFixed(1),
        max.toFixed(0),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
  ];
}

/** Promises that one more delta costs, between the shortest and the longest answer. */
export function promisesPerDelta(counts: PromiseCounts): number {
  const [first, last] = [counts[0], counts.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  return (last.promises - first.promises) / (last.deltas - first.deltas);
}

/** The middle of the last third over that of the first, after the warm-up. 1 is flat. */
export function growth(
  samples: readonly Sample[],
  valueOf: (sample: Sample) => number,
  middleOf: (values: readonly number[]) => number = median,
): { readonly first: number; readonly last: number; readonly ratio: number } {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP_SHARE)).map(valueOf);
  const third = Math.max(1, Math.floor(warm.length / 3));
  const first = middleOf(warm.slice(0, third));
  const last = middleOf(warm.slice(-third));
  return { first, last, ratio: last / first };
}

function flatnessGoals(samples: readonly Sample[], rest: Rest): Goal[] {
  const throughput = growth(samples, turnsForUnits, best);
  const rss = growth(samples, (sample) => sample.rssBytes / MEGABYTE);
  const heap = growth(samples, (sample) => sample.heapBytes / MEGABYTE);
  const worstP99 = Math.max(...samples.map((sample) => sample.eventMicros.p99));
  const left = Object.entries(rest.left).map(([name, count]) => `${count} ${name}`);
  return [
    {
      id: "flat throughput",
      bound: `turns for the CPU of ${UNITS} units of fixed work in the best half minute of the last third at least ${1 - MAX_THROUGHPUT_LOSS} of the best of the first after warm-up`,
      found: `${throughput.first.toFixed(0)} → ${throughput.last.toFixed(0)}`,
      isMet: throughput.ratio >= 1 - MAX_THROUGHPUT_LOSS,
    },
    {
      id: "flat memory",
      bound: `RSS in the last third at most ${1 + MAX_RSS_GROWTH} x the first after warm-up, collected heap ${1 + MAX_HEAP_GROWTH} x`,
      found: `RSS ${rss.first.toFixed(0)} → ${rss.last.toFixed(0)} MB, heap ${heap.first.toFixed(1)} → ${heap.last.toFixed(1)} MB`,
      isMet: rss.ratio <= 1 + MAX_RSS_GROWTH && heap.ratio <= 1 + MAX_HEAP_GROWTH,
    },
    {
      id: "own time",
      bound: `p99 of the worker's own time for an event under ${MAX_P99_MICROS} µs in every half minute`,
      found: `${worstP99.toFixed(1)} µs at worst`,
      isMet: worstP99 < MAX_P99_MICROS,
    },
    {
      id: "nothing left open",
      bound: "no handle, timer, file or stored blob more than before",
      found:
        left.length === 0 && rest.blobFileCount === 0
          ? "none"
          : [...left, `${rest.blobFileCount} files in the store`].join(", "),
      isMet: left.length === 0 && rest.blobFileCount === 0,
    },
  ];
}

function faultsOf({ failures }: Rest): string[] {
  const shown = failures.slice(0, 5);
  if (failures.length > shown.length) shown.push(`and ${failures.length - shown.length} more`);
  return shown;
}

/** What else the machine does only makes a figure worse, so the best tells most of the worker. */
function best(values: readonly number[]): number {
  return Math.max(...values);
}

/** Turns for the CPU time of so many units of the reference work, whatever else the machine does. */
function turnsForUnits({ turns, cpuSeconds, referenceMs }: Sample): number {
  return (turns * UNITS * referenceMs) / (1000 * cpuSeconds);
}
