import { Clients } from "../decode/clients.js";
import { atMost } from "../decode/goals.js";
import { rivalsOf } from "../decode/rivals.js";
import type { Wire, WireName } from "../decode/wires/wire.js";
import { wires } from "../decode/wires/wires.js";
import { interleave, type Subject } from "../harness/interleave.js";
import {
  LIMIT,
  OURS,
  type Case,
  type Findings,
  type Goal,
  type Measure,
  type RunOptions,
} from "../harness/measure.js";
import { hasRivals } from "../harness/rivals.js";
import { growthExponent } from "../harness/statistics.js";
import { oneCall, type Shape, shapes } from "./shapes.js";

/** How many deltas there are, and how often each answer is read. */
interface DeltasScale {
  readonly deltas: readonly number[];
  readonly rounds: number;
  /** Rivals read smaller answers, once: some grow with the square. */
  readonly rivalDeltas: readonly number[];
  readonly rivalTimeoutMs: number;
}

const FULL: DeltasScale = {
  deltas: [5000, 20_000, 80_000],
  rounds: 5,
  rivalDeltas: [1280, 5120],
  rivalTimeoutMs: 20_000,
};
const QUICK: DeltasScale = {
  deltas: [160, 320],
  rounds: 1,
  rivalDeltas: [160, 320],
  rivalTimeoutMs: 20_000,
};

/** One that streams arguments, and one that does not. */
const QUICK_WIRES: readonly WireName[] = ["anthropic", "gemini"];

const CPU = "CPU ms";
/** Growth is judged from here on: below it, what is the same for each answer weighs too much. */
const GROWTH_FROM = 20_000;
const BOUNDS = { exponent: 1.05, megabyteOfArguments: 1.5 } as const;

/** The same as `decode`, with more and more deltas: what grows faster than they do is a trap. */
export const deltas: Measure = {
  name: "deltas",
  work: "Answers of 5,000 to 80,000 deltas of text, of thinking, of one call's arguments (1 MB) and of 80 calls, in 16 KiB chunks.",
  limit: "as of decode.",
  run: measureDeltas,
};

/** The same answer in several sizes. */
interface Growth {
  readonly wire: Wire;
  readonly shape: Shape;
  readonly points: readonly { readonly deltas: number; readonly result: Case }[];
}

async function measureDeltas(options: RunOptions): Promise<Findings> {
  const { isQuick } = options;
  const scale = isQuick ? QUICK : FULL;
  const clients = new Clients({ timeoutMs: scale.rivalTimeoutMs, sharesRivals: isQuick });
  const own: Growth[] = [];
  const withRivals: Growth[] = [];
  try {
    for (const wire of isQuick ? wires.filter(({ name }) => QUICK_WIRES.includes(name)) : wires) {
      for (const shape of shapes) {
        options.progress(`${wire.name}, ${shape.name}`);
        own.push(await measureGrowth(clients, wire, shape, scale));
        if (hasRivals()) withRivals.push(await measureRivals(clients, wire, shape, scale));
      }
      if (!isQuick) await clients.closeClients();
    }
  } finally {
    await clients.close();
  }
  return {
    cases: [...own, ...withRivals].flatMap(({ wire, points }) =>
      points.map(({ result }) => ({ ...result, metric: `${CPU}, ${wire.name}` })),
    ),
    goals: isQuick ? [] : goals(own),
    notes: [
      `Exponent: slope of log CPU over log deltas from ${GROWTH_FROM.toLocaleString("en")} on. Gemini and Ollama send the arguments of a call whole, in one event; what the limit parses of it the product writes again as JSON text, so the bound for 1 MB of arguments is for the other three.`,
      hasRivals()
        ? `Rivals read ${scale.rivalDeltas.join(" and ")} deltas once, and get ${scale.rivalTimeoutMs / 1000} s for it; ${rivalGrowth(withRivals)}.`
        : "The rivals are not installed (`npm run bench` does it), so they are left out.",
    ],
  };
}

async function measureGrowth(
  clients: Clients,
  wire: Wire,
  shape: Shape,
  { deltas: counts, rounds }: DeltasScale,
): Promise<Growth> {
  const points = [];
  for (const [position, count] of counts.entries()) {
    const name = `${shape.name}, ${count.toLocaleString("en")} deltas`;
    const warmUpRounds = position === 0 ? rounds : 1;
    const options = { rounds, warmUpRounds };
    points.push({
      deltas: count,
      result: await measureOne(clients, wire, shape, count, name, options),
    });
  }
  return { wire, shape, points };
}

async function measureRivals(
  clients: Clients,
  wire: Wire,
  shape: Shape,
  { rivalDeltas }: DeltasScale,
): Promise<Growth> {
  const names = [...rivalsOf(wire.name, "fast"), ...rivalsOf(wire.name, "slow")];
  const points = [];
  for (const [position, count] of rivalDeltas.entries()) {
    const name = `${shape.name}, ${count.toLocaleString("en")} deltas, beside rivals`;
    // A second reading of the larger one would take the slowest as long again.
    const options = { rounds: 1, warmUpRounds: position === 0 ? 1 : 0 };
    const result = await measureOne(clients, wire, shape, count, name, options, names);
    points.push({ deltas: count, result });
  }
  return { wire, shape, points };
}

async function measureOne(
  clients: Clients,
  wire: Wire,
  shape: Shape,
  count: number,
  name: string,
  options: { readonly rounds: number; readonly warmUpRounds: number },
  rivals: readonly string[] = [],
): Promise<Case> {
  const size = shape.sizeOf(count);
  const answer = await clients.serve({ wire: wire.name, chunking: "block", size });
  const subjects: Record<string, Subject> = {
    [LIMIT]: async () => ({ [CPU]: (await clients.read("limit", answer)).usage.cpuMs }),
    [OURS]: async () => ({ [CPU]: (await clients.read("timeline", answer)).usage.cpuMs }),
  };
  for (const rival of rivals) subjects[rival] = clients.rival(rival, answer);
  try {
    const [result] = await interleave(name, subjects, options);
    if (result === undefined) throw new Error(`nothing was measured of ${name}`);
    return result;
  } finally {
    await clients.remove(answer);
  }
}

function goals(own: readonly Growth[]): Goal[] {
  const largest = own.flatMap(({ wire, shape, points }) => {
    const ratio = points.at(-1)?.result.ratioToLimit;
    const counts = shape === oneCall && wire.streamsArguments && typeof ratio === "number";
    return counts ? [{ name: wire.name, value: ratio }] : [];
  });
  return [
    atMost(
      "G5",
      `exponent of the growth at most ${BOUNDS.exponent}`,
      BOUNDS.exponent,
      own.map((growth) => ({
        name: `${growth.wire.name}, ${growth.shape.name}`,
        value: exponentOf(growth, OURS, GROWTH_FROM) ?? Number.NaN,
      })),
    ),
    atMost(
      "G5, 1 MB",
      `one call with 1 MB of argument deltas at most ${BOUNDS.megabyteOfArguments} x the limit`,
      BOUNDS.megabyteOfArguments,
      largest,
    ),
  ];
}

function exponentOf({ points }: Growth, subject: string, from: number): number | undefined {
  const measured = points.flatMap(({ deltas: size, result }) => {
    const cost = result.medians[subject];
    return cost === undefined || size < from ? [] : [{ size, cost }];
  });
  return measured.length < 2 ? undefined : growthExponent(measured);
}

/** The growth of each rival where it is fastest, in words. */
function rivalGrowth(growths: readonly Growth[]): string {
  const names = new Set(
    growths.flatMap(({ points }) =>
      points.flatMap(({ result }) => Object.keys(result.ratioToRivals)),
    ),
  );
  const worst = [...names].map((name) => {
    const exponents = growths.flatMap((growth) => {
      const exponent = exponentOf(growth, name, 0);
      const { wire, shape } = growth;
      return exponent === undefined ? [] : [{ exponent, where: `${wire.name}, ${shape.name}` }];
    });
    const [steepest] = exponents.toSorted((a, b) => b.exponent - a.exponent);
    if (steepest === undefined) return `${name} came to no second size`;
    return `${name} ${steepest.exponent.toFixed(2)} (${steepest.where})`;
  });
  return `the steepest growth of each: ${worst.join("; ")}`;
}
