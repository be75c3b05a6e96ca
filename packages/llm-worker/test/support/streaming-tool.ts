/** Yields the chunks, then throws what is given; counts what it does. */
export class StreamingTool implements AsyncIterable<unknown> {
  yielded = 0;
  isCleanedUp = false;
  readonly #chunks: Iterable<unknown>;
  readonly #failure: Error | undefined;
  constructor(chunks: Iterable<unknown>, failure?: Error) {
    this.#chunks = chunks;
    this.#failure = failure;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    try {
      for (const chunk of this.#chunks) {
        this.yielded += 1;
        yield chunk;
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.isCleanedUp = true;
    }
  }
}

/** `line 1`, `line 2` …, each with its end. */
export function numberedLines(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `line ${String(i + 1)}\n`);
}
