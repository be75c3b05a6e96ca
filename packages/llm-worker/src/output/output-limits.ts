import { OutputLimitsError } from "../errors.js";

/** When an output is stored, and how long its summary may be. Sizes in UTF-8 bytes. */
export interface OutputLimits {
  /** At most this many bytes stay inline; more are stored. */
  readonly inlineMaxBytes: number;
  /**
   * An output that is stored and has at most this many bytes is whole in the history as well, as the
   * `content` of its result, until a prune takes it out. 0: none is.
   */
  readonly freshMaxBytes: number;
  /** The summary is at most this long, id line included. */
  readonly summaryMaxBytes: number;
  readonly headLines: number;
  readonly tailLines: number;
  /** With the store failing, this much of the output stays in the history, marked as incomplete. */
  readonly fallbackMaxBytes: number;
  /** A store that has not answered by then has failed. */
  readonly storeTimeoutMs: number;
}

/** The profile `lean`, the default. */
export const leanLimits: OutputLimits = {
  inlineMaxBytes: 800,
  freshMaxBytes: 0,
  summaryMaxBytes: 400,
  headLines: 5,
  tailLines: 3,
  fallbackMaxBytes: 16_384,
  storeTimeoutMs: 30_000,
};

/** The profile `balanced`: medium outputs stay inline, so that fewer are asked for again. */
export const balancedLimits: OutputLimits = {
  ...leanLimits,
  inlineMaxBytes: 4096,
  summaryMaxBytes: 1024,
};

/** The profile `fresh`: a medium output is read whole while it is new, and a summary afterwards. */
export const freshLimits: OutputLimits = {
  ...leanLimits,
  inlineMaxBytes: 1024,
  freshMaxBytes: 16_384,
};

/** Room for the longest first line with a UUID and exact totals, and a little beside it. */
export const MIN_SUMMARY_BYTES = 160;
/** Room for the line that says why the output is incomplete. */
export const MIN_FALLBACK_BYTES = 256;

/**
 * `leanLimits` with the fields of each override that are not `undefined`, later ones first: such as
 * those of the worker, then those of a tool.
 *
 * @throws OutputLimitsError if a limit is not a whole number of at least its minimum
 */
export function resolveOutputLimits(
  ...overrides: readonly (Partial<OutputLimits> | undefined)[]
): OutputLimits {
  const limits: { -readonly [Name in keyof OutputLimits]: number } = { ...leanLimits };
  for (const name of limitNames) {
    for (const override of overrides) limits[name] = override?.[name] ?? limits[name];
    const least = minimums[name];
    if (!Number.isSafeInteger(limits[name]) || limits[name] < least) {
      throw new OutputLimitsError(
        `${name} is ${String(limits[name])}: use a whole number of at least ${String(least)}`,
      );
    }
  }
  return limits;
}

/** @throws OutputLimitsError for what is no number, such as `NaN`: as a limit it is met never, or always */
export function checkNumbers(values: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value >= 0) continue;
    throw new OutputLimitsError(`${name} is ${String(value)}: use a number of at least 0`);
  }
}

const minimums: OutputLimits = {
  inlineMaxBytes: 0,
  freshMaxBytes: 0,
  summaryMaxBytes: MIN_SUMMARY_BYTES,
  headLines: 0,
  tailLines: 0,
  fallbackMaxBytes: MIN_FALLBACK_BYTES,
  storeTimeoutMs: 1,
};

// The keys of an object literal of that type are exactly its names.
const limitNames = Object.keys(minimums) as (keyof OutputLimits)[];
