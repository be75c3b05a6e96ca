import { startTimer } from "llm-worker/blob";
import type { S3Body } from "./s3-sdk.js";
import { idleTimeout } from "./s3-requests.js";

/** What came of a body, and why it ended before `target` was full. */
export interface BodyOutcome {
  readonly filled: number;
  readonly error?: unknown;
}

/**
 * Reads a body into `target` until either is at its end, or nothing has arrived for too long. Never
 * rejects: what has come is kept.
 *
 * @returns `filled` beyond the length of `target` if the body is longer
 */
export async function readBody(
  body: S3Body,
  target: Uint8Array,
  idleTimeoutMs: number,
): Promise<BodyOutcome> {
  let filled = 0;
  let timedOut: Error | undefined;
  const timer = startTimer(() => {
    timedOut = idleTimeout(idleTimeoutMs);
    body.destroy?.(timedOut);
  }, idleTimeoutMs);
  try {
    for await (const chunk of body) {
      timer.refresh();
      if (filled + chunk.length > target.length) return { filled: filled + chunk.length };
      target.set(chunk, filled);
      filled += chunk.length;
    }
    return { filled, error: timedOut };
  } catch (error) {
    return { filled, error: timedOut ?? error };
  } finally {
    clearTimeout(timer);
  }
}
