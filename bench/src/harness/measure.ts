/** How a measure is to run. */
export interface RunOptions {
  /**
   * A smoke run: everything is executed at least once, on little data, without judging any figure.
   * All measures together then stay under two minutes.
   */
  readonly isQuick: boolean;
  /** The directory of the shared corpus, where there is one. */
  readonly env: NodeJS.ProcessEnv;
  /** Progress, a line at a time; goes to stderr. */
  progress(line: string): void;
}

/** One thing that is measured, of which the product, the limit and the rivals do the same work. */
export interface Measure {
  /** As on the command line: `decode`. */
  readonly name: string;
  /** What is done, in one sentence. */
  readonly work: string;
  /** What the physical limit does instead. */
  readonly limit: string;
  run(options: RunOptions): Promise<Findings>;
}

/** One row: the same work by all subjects. */
export interface Case {
  /** What differs from the other cases of the measure: `anthropic, 16 KiB blocks`. */
  readonly name: string;
  /** What was measured, with its unit: `CPU ms`, `added RSS MB`, `bytes read`. */
  readonly metric: string;
  /** The raw median of each subject: `llm-worker`, `limit`, and rivals by their package names. */
  readonly medians: Readonly<Record<string, number>>;
  /** The product over the limit, as median of the ratios of each round; less is better. */
  readonly ratioToLimit: number | null;
  /** The product over each rival, as median of the ratios of each round; under 1 is better than the rival. */
  readonly ratioToRivals: Readonly<Record<string, number>>;
  /** Rounds that the medians are of. */
  readonly rounds: number;
  /** Why a subject has no figure here: `fails: Invalid string length`. */
  readonly remarks?: Readonly<Record<string, string>> | undefined;
}

/** A goal of `PERFORMANCE`, by its number, and what was found. */
export interface Goal {
  /** `G1`; a measure's own bound has a name in words. */
  readonly id: string;
  /** What was asked: `each wire and chunking at most 1.25 x the limit`. */
  readonly bound: string;
  readonly found: string;
  readonly isMet: boolean;
}

/** What a measure has found. */
export interface Findings {
  readonly cases: readonly Case[];
  readonly goals: readonly Goal[];
  /** What a reader has to know to trust the figures; one sentence each. */
  readonly notes: readonly string[];
  /** A table of the measure's own in Markdown, where cases do not fit. */
  readonly table?: string | undefined;
  /** More for the JSON file. */
  readonly details?: unknown;
  /** Something is wrong with the product, not merely slow: the command fails. */
  readonly faults?: readonly string[] | undefined;
}

/** The product's own name among the subjects. */
export const OURS = "llm-worker";
/** The limit's name among the subjects. */
export const LIMIT = "limit";
