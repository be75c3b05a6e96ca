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
  let giveUp: ((reason: Error) => void) | undefined;
  // Beside what it does to the body: not every body can be told to end.
  const stalled = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  stalled.catch(() => undefined);
  const timer = startTimer(() => {
    const reason = idleTimeout(idleTimeoutMs);
    giveUp?.(reason);
    body.destroy?.(reason);
  }, idleTimeoutMs);
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), stalled]);
      if (next.done === true) return { filled };
      timer.refresh();
      const chunk = next.value;
      if (filled + chunk.length > target.length) {
        leave(chunks);
        return { filled: filled + chunk.length };
      }
      target.set(chunk, filled);
      filled += chunk.length;
    }
  } catch (error) {
    leave(chunks);
    return { filled, error };
  } finally {
    clearTimeout(timer);
  }
}

/** Tells a body that no more of it is wanted. It is not waited for: one that stalls would not answer. */
function leave(chunks: AsyncIterator<Uint8Array>): void {
  chunks.return?.().catch(() => undefined);
}
