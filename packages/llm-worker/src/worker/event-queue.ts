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

  /** Resolves when the reader has caught up; `undefined` if it is not far behind. */
  drained(): Promise<void> | undefined {
    if (this.#isLeft || this.#buffered.length - this.#next < MAX_BUFFERED_EVENTS) return undefined;
    return new Promise((resolve) => {
      this.#wakeWriter = resolve;
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    try {
      for (;;) {
        while (this.#next < this.#buffered.length) {
          // The bound was checked on the line above.
          yield this.#buffered[this.#next++] as Value;
        }
        this.#buffered = [];
        this.#next = 0;
        this.#wakeWriter?.();
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
      this.#isLeft = true;
      this.#buffered = [];
      this.#wakeWriter?.();
      if (this.#end === undefined) this.#onLeave();
    }
  }
}

/** Behind by this many events the run waits for its reader. */
export const MAX_BUFFERED_EVENTS = 1024;
