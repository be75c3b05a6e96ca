import { startTimer } from "../blob/timer.js";
import type { Event } from "../model/event.js";

/** After an abort a provider has this long to end its stream, which tells of the blocks that it aborts. */
export const PROVIDER_GRACE_MS = 2000;

/**
 * Takes the batches of a provider one by one. One that does not heed the abort of its signal is left
 * behind after {@link PROVIDER_GRACE_MS}; what it does later goes nowhere.
 */
export async function readBatches(
  events: AsyncIterable<readonly Event[]>,
  signal: AbortSignal,
  take: (batch: readonly Event[]) => Promise<void> | undefined,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  let isOver = false;
  let isLeft = false;
  let wake: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const next = (): Promise<IteratorResult<readonly Event[]> | undefined> =>
    new Promise((resolve, reject) => {
      wake = () => resolve(undefined);
      iterator.next().then(resolve, reject);
    });
  const onAbort = (): void => {
    timer = startTimer(() => {
      isLeft = true;
      wake?.();
    }, PROVIDER_GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!isOver && !isLeft) {
      const result = await next();
      if (result === undefined || result.done === true) isOver = true;
      else await take(result.value);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    if (isLeft) void leave(iterator);
    else if (!isOver) await iterator.return?.();
  }
}

async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // Nobody is there any more to be told.
  }
}
