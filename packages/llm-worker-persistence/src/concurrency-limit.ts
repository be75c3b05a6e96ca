/** Runs at most `limit` tasks at a time; the others wait in order of arrival. */
export class ConcurrencyLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Settles as the task does. A task must not wait for another task of the same limit. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/**
 * Runs a task for each of the values, at most `limit` at a time. After the first failure none begins any
 * more; it rejects with that once those under way have ended, so that nothing goes on behind the caller.
 */
export async function forEachAtOnce<T>(
  values: readonly T[],
  limit: number,
  task: (value: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (failures.length === 0 && next < values.length) {
      const value = values[next++] as T; // below the length
      await task(value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length > 0) throw failures[0];
}
