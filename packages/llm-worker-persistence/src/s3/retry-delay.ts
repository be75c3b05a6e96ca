const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/**
 * How long to wait after so many failed attempts: twice as long each time, up to 10 seconds, and by
 * chance down to half of that, so that many clients do not come back at the same moment.
 */
export function growingDelayMs(failedAttempts: number, random: () => number = Math.random): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failedAttempts - 1));
  return longest * (0.5 + random() / 2);
}
