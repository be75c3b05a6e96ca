import { setMaxListeners } from "node:events";
import { linkSignal } from "../blob/linked-signal.js";
import { startTimer } from "../blob/timer.js";

/** What ends a run from outside: the caller, or the clock. */
export interface RunSignal {
  readonly signal: AbortSignal;
  /** Aborted when the wall time is up; never without such a limit. */
  readonly wallTime: AbortSignal;
  /** Stops the clock and lets the caller's signal go. */
  readonly clear: () => void;
}

/** Joins the caller's signal with the wall time of the run. */
export function runSignal(
  caller: AbortSignal | undefined,
  maxWallTimeMs: number | undefined,
): RunSignal {
  const link = linkSignal(caller);
  const clock = new AbortController();
  const timer =
    maxWallTimeMs === undefined
      ? undefined
      : startTimer(() => {
          clock.abort(new Error("the wall time is up"));
          link.abort(clock.signal.reason);
        }, maxWallTimeMs);
  // Each call that waits for its turn listens to it, and there may be many.
  setMaxListeners(0, link.signal);
  return {
    signal: link.signal,
    wallTime: clock.signal,
    clear() {
      clearTimeout(timer);
      link.unlink();
    },
  };
}
