import type { Case, Goal } from "../harness/measure.js";
import { OURS } from "../harness/measure.js";
import { growthExponent } from "../harness/statistics.js";

/** What is measured. */
export const METRIC = "CPU ms a request";
/** The finished body as what is sent: made a string, and that encoded. */
export const AS_BYTES = "JSON.stringify, as bytes";

const LOCKED_MAX_MS = 0.3;
const LOCKED_MAX_EXPONENT = 0.1;
const LOCKED_MIN_FACTOR = 7;
const MUTABLE_MAX_RATIO = 1.3;
/** Fixed costs hide growth in the sizes below. */
const GROWTH_SIZES = [1000, 5000];

/** Judges the cases: `locked, WIRE, ITEMS` and `mutable, WIRE, ITEMS`. */
export function goals(cases: readonly Case[]): readonly Goal[] {
  const locked = casesOf(cases, "locked");
  const mutable = casesOf(cases, "mutable");
  const longest = locked.filter(({ itemCount }) => itemCount === GROWTH_SIZES.at(-1));
  const judged = mutable.filter(({ itemCount }) => GROWTH_SIZES.includes(itemCount));
  const wires = [...new Set(locked.map(({ wire }) => wire))];
  const exponents = wires.map((wire) => ({
    wire,
    value: growthExponent(
      locked
        .filter((one) => one.wire === wire && GROWTH_SIZES.includes(one.itemCount))
        .map(({ itemCount, ours }) => ({ size: itemCount, cost: ours })),
    ),
  }));
  return [
    goal("G6", `locked, 5,000 items: at most ${LOCKED_MAX_MS} ms`, longest, {
      value: ({ ours }) => ours,
      isMet: (value) => value <= LOCKED_MAX_MS,
    }),
    goal(
      "G6",
      `locked: exponent in the history's length at most ${LOCKED_MAX_EXPONENT}`,
      exponents,
      {
        value: ({ value }) => value,
        isMet: (value) => value <= LOCKED_MAX_EXPONENT,
      },
    ),
    goal(
      "G6",
      `locked, 5,000 items: JSON.stringify at least ${LOCKED_MIN_FACTOR} times ours`,
      longest,
      {
        value: ({ ratioToLimit }) => 1 / ratioToLimit,
        isMet: (value) => value >= LOCKED_MIN_FACTOR,
      },
    ),
    goal(
      "G7",
      `mutable, 1,000 and 5,000 items: at most ${MUTABLE_MAX_RATIO} x JSON.stringify`,
      judged,
      {
        value: ({ ratioToLimit }) => ratioToLimit,
        isMet: (value) => value <= MUTABLE_MAX_RATIO,
      },
    ),
    goal("G7, as bytes", `the same: at most ${MUTABLE_MAX_RATIO} x ${AS_BYTES}`, judged, {
      value: ({ ratioToBytes }) => ratioToBytes,
      isMet: (value) => value <= MUTABLE_MAX_RATIO,
    }),
  ];
}

interface HistoryCase {
  readonly wire: string;
  readonly itemCount: number;
  readonly ours: number;
  readonly ratioToLimit: number;
  /** To the limit with the encoding; only of mutable histories. */
  readonly ratioToBytes: number;
}

function casesOf(cases: readonly Case[], state: string): readonly HistoryCase[] {
  return cases.flatMap(({ name, medians, ratioToLimit, ratioToRivals }) => {
    const [ofState, wire = "", itemCount] = name.split(", ");
    const ours = medians[OURS];
    if (ofState !== state || ours === undefined || ratioToLimit === null) return [];
    const ratioToBytes = ratioToRivals[AS_BYTES] ?? Number.NaN;
    return [{ wire, itemCount: Number(itemCount), ours, ratioToLimit, ratioToBytes }];
  });
}

/** A goal that each of the cases has to meet. */
function goal<One extends { readonly wire: string; readonly itemCount?: number }>(
  id: string,
  bound: string,
  cases: readonly One[],
  { value, isMet }: { value: (one: One) => number; isMet: (value: number) => boolean },
): Goal {
  const found = cases.map((one) => {
    const size = one.itemCount === undefined ? "" : ` ${one.itemCount}`;
    return `${one.wire}${size}: ${value(one).toFixed(2)}`;
  });
  return {
    id,
    bound,
    found: found.join(", "),
    isMet: cases.length > 0 && cases.every((one) => isMet(value(one))),
  };
}
