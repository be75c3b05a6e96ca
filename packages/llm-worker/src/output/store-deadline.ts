import { type BlobId, type BlobStoreErrorCode, blobStoreErrorCode } from "../blob/blob-store.js";
import { isUsableId } from "../blob/usable-id.js";
import { startTimer } from "../blob/timer.js";
import { LlmWorkerError } from "../errors.js";

/** How long a store may take for one operation. */
export interface Deadline {
  readonly timeoutMs: number;
  /** Once aborted, the store gets {@link ABORT_GRACE_MS} to finish what it has been asked. */
  readonly signal?: AbortSignal | undefined;
}

/** Long enough for a write that is under way, short enough for someone who waits for the abort. */
export const ABORT_GRACE_MS = 2000;

/** The store has not answered in time. */
export class StoreTimeoutError extends LlmWorkerError {
  readonly code = "timeout";
  constructor(timeoutMs: number) {
    super(`the store has not answered within ${String(timeoutMs)} ms: check that it is reachable`);
  }
}

/**
 * Waits for an operation of a store, but not longer than the deadline allows. What comes of it after
 * that is given to `discard`, and its failure is ignored.
 *
 * @throws StoreTimeoutError, or what the store throws
 */
export function withDeadline<Result>(
  operation: () => Promise<Result>,
  { timeoutMs, signal }: Deadline,
  discard: (late: Result) => unknown = () => undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const limit = (limitMs: number): void => {
      clearTimeout(timer);
      timer = startTimer(() => {
        finish(() => reject(new StoreTimeoutError(limitMs)));
      }, limitMs);
    };
    const hurry = (): void => limit(Math.min(timeoutMs, ABORT_GRACE_MS));
    const finish = (settle: () => void): void => {
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", hurry);
      settle();
    };
    if (signal?.aborted === true) hurry();
    else limit(timeoutMs);
    signal?.addEventListener("abort", hurry, { once: true });
    started(operation)
      .then((result) => (isOver ? discard(result) : finish(() => resolve(result))))
      .catch((error: unknown) => (isOver ? undefined : finish(() => reject(error))));
  });
}

/** Why a store failed, for machines. */
export function storeFailureCode(thrown: unknown): BlobStoreErrorCode | "timeout" {
  return thrown instanceof StoreTimeoutError ? "timeout" : blobStoreErrorCode(thrown);
}

/** Also a store that throws instead of rejecting gives a promise. */
async function started<Result>(operation: () => Promise<Result>): Promise<Result> {
  return operation();
}

/** By any other id the output could never be read. */
export function assertBlobId(id: unknown): asserts id is BlobId {
  if (isUsableId(id)) return;
  throw new TypeError(
    "the store gave no id that can be read back: let store() and commit() resolve to one line of at most 128 bytes",
  );
}
