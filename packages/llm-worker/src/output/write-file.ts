import type { FileBackend } from "./file-backend.js";
import { type Deadline, withDeadline } from "./store-deadline.js";

/**
 * Has a backend write what `next` gives, piece by piece, until it gives `undefined`. The deadline is
 * for the backend alone: for what it does with each piece, not for the time that `next` takes. A
 * backend that is late is left behind, and what it may still write is deleted.
 *
 * @returns the path that the backend has used
 * @throws StoreTimeoutError, or what the backend throws
 */
export async function writeFile(
  backend: FileBackend,
  path: string,
  next: () => Promise<Uint8Array | undefined>,
  deadline: Deadline,
): Promise<string> {
  const guard = new StallGuard(deadline);
  let isDrained = false;
  let isOver = false;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      guard.rest();
      if (isOver) throw new Error("the write has been given up");
      const piece = await next();
      guard.watch();
      if (piece === undefined) {
        isDrained = true;
        return;
      }
      yield piece;
    }
  }

  guard.watch();
  const writing = begin(() => backend.write(path, pieces()));
  try {
    const used = await Promise.race([writing, guard.stalled]);
    if (!isDrained) throw new Error("the backend has finished before it had all of the output");
    return used;
  } catch (error) {
    isOver = true;
    // Nothing refers to a file that comes now.
    writing.then((late) => backend.delete?.(late)).catch(() => undefined);
    throw error;
  } finally {
    guard.rest();
  }
}

/** Also a backend that throws instead of rejecting gives a promise. */
async function begin(write: () => Promise<string>): Promise<string> {
  return write();
}

/** Rejects `stalled` when the time from `watch` to `rest` is longer than the deadline allows. */
class StallGuard {
  readonly stalled: Promise<never>;
  readonly #deadline: Deadline;
  #fail: (error: unknown) => void = () => undefined;
  #rest: () => void = () => undefined;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
    this.stalled = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
  }

  watch(): void {
    const working = (): Promise<void> =>
      new Promise((resolve) => {
        this.#rest = resolve;
      });
    withDeadline(working, this.#deadline).catch(this.#fail);
  }

  rest(): void {
    this.#rest();
  }
}
