/** When an output is stored, and how long its summary may be. Sizes in UTF-8 bytes. */
export interface OutputLimits {
  /** At most this many bytes stay inline; more are stored. */
  readonly inlineMaxBytes: number;
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
  summaryMaxBytes: 400,
  headLines: 5,
  tailLines: 3,
  fallbackMaxBytes: 16_384,
  storeTimeoutMs: 30_000,
};
