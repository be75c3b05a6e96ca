/** At most `capacity` holders at a time, served in order of arrival. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(capacity: number) {
    // Also for NaN, with which nobody would ever get a place.
    this.#free = capacity >= 1 ? Math.floor(capacity) : 1;
  }

  /** Resolves to the release, or to `undefined` if `signal` is aborted before there is a place. */
  acquire(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(this.#makeRelease());
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        signal.removeEventListener("abort", leave);
        resolve(this.#makeRelease());
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        resolve(undefined);
      };
      this.#waiting.push(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #makeRelease(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
