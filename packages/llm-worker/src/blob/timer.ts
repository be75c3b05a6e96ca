/** Node takes no longer timer, about 24 days: it fires a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the timer of a time limit. A limit that is longer than any timer, or none, counts as the longest. */
export function startTimer(onTime: () => void, limitMs: number): NodeJS.Timeout {
  return setTimeout(onTime, Math.min(limitMs, MAX_TIMER_MS));
}
