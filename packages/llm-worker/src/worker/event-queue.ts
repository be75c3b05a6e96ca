/** Events of a run on their way to whoever reads its stream. Bounded: the run waits for the reader. */
export class EventQueue<Value> implements AsyncIterable<Value> {
  #buffered: Value[] = [];
  #next = 0;
  #end: { readonly error?: unknown } | undefined;
  #isLeft = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  readonly #onLeave: () => void;

  /** @param onLeave called when the reader leaves before the end */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push(value: Value): void {
    if (this.#isLeft) return;
    this.#buffered.push(value);
    this.#wakeReader?.();
  }

  /** Ends the stream, with an error if there is one. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wakeReader?.();
  }

  /** Resolves when the reader has caught up, or at an abort; `undefined` if it is not far behind. */
  drained(signal: AbortSignal): Promise<void> | undefined {
    if (this.#isLeft || signal.aborted) return undefined;
    if (this.#buffered.length - this.#next < MAX_BUFFERED_EVENTS) return undefined;
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wakeWriter = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Value, void, undefined> {
    const values = this.#read();
    return {
      next: () => values.next(),
      // A generator would not notice it before its first value, nor while it waits for one.
      return: () => {
        this.#leave();
        return values.return();
      },
    };
  }

  async *#read(): AsyncGenerator<Value, void, undefined> {
    try {
      for (;;) {
        while (this.#next < this.#buffered.length) {
          // The bound was checked on the line above.
          yield this.#buffered[this.#next++] as Value;
        }
        this.#buffered = [];
        this.#next = 0;
        this.#wakeWriter?.();
        if (this.#isLeft) return;
        if (this.#end !== undefined) {
          if ("error" in this.#end) throw this.#end.error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        this.#wakeReader = undefined;
      }
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#buffered = [];
    this.#next = 0;
    this.#wakeReader?.();
    this.#wakeWriter?.();
    if (this.#end === undefined) this.#onLeave();
  }
}

/** Behind by this many events the run waits for its reader. */
export const MAX_BUFFERED_EVENTS = 1024;
