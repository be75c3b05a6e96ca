import { setMaxListeners } from "node:events";

/** What ends a run from outside: the caller, or the clock. */
export interface RunSignal {
  readonly signal: AbortSignal;
  /** Aborted when the wall time is up; `undefined` without such a limit. */
  readonly wallTime: AbortSignal | undefined;
  /** Stops the clock. */
  readonly clear: () => void;
}

/** Joins the caller's signal with the wall time of the run. */
export function runSignal(
  caller: AbortSignal | undefined,
  maxWallTimeMs: number | undefined,
): RunSignal {
  const clock = maxWallTimeMs === undefined ? undefined : new AbortController();
  const timer =
    clock && setTimeout(() => clock.abort(new Error("the wall time is up")), maxWallTimeMs);
  const wallTime = clock?.signal;
  const signal = AbortSignal.any([caller, wallTime].filter((one) => one !== undefined));
  // Each call that waits for its turn listens to it, and there may be many.
  setMaxListeners(0, signal);
  return { signal, wallTime, clear: () => clearTimeout(timer) };
}
