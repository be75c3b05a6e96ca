import { balancedLimits, freshLimits, leanLimits, type OutputLimits } from "./output-limits.js";

/** How what was new leaves the history, to stay readable in the store: see `prune`. */
export interface Aging {
  /** Everything is whole for as many requests. */
  readonly protectedTurns: number;
  /** It goes in batches that free at least so much, so that the prompt cache breaks seldom. */
  readonly minSavingsBytes: number;
  /** Calls with more bytes of arguments than this are shortened too. Absent: none is. */
  readonly minArgumentsBytes?: number | undefined;
}

/** What decides how much of the outputs a conversation carries. */
export interface OutputProfile {
  readonly limits: OutputLimits;
  /** Absent: what is in the history stays there. */
  readonly aging?: Aging | undefined;
}

/** Name of one of the {@link profiles}. */
export type ProfileName = "lean" | "balanced" | "fresh";

/**
 * The three ways to spend bytes, each one word to choose:
 *
 * - `lean` (default): over 800 bytes a summary of at most 400. The fewest bytes where little is
 *   looked at again.
 * - `balanced`: over 4096 bytes a summary of at most 1024. Few extra calls.
 * - `fresh`: up to 16 KiB an output is whole for its first 3 requests and then, in batches of at
 *   least 32 KB, is replaced by its summary; larger ones are a summary from the start. No extra
 *   calls for medium outputs, and few cache breaks. With them go the long values in the arguments of
 *   old calls of over 1 KB, such as the text of an edit: without that, recorded sessions send a
 *   quarter more.
 */
export const profiles: Readonly<Record<ProfileName, OutputProfile>> = {
  lean: { limits: leanLimits },
  balanced: { limits: balancedLimits },
  fresh: {
    limits: freshLimits,
    aging: { protectedTurns: 3, minSavingsBytes: 32_768, minArgumentsBytes: 1024 },
  },
};
