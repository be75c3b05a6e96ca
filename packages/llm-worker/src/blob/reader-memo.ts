import type { ByteSpan } from "./bytes.js";
import type { BlobReader } from "./blob-store.js";

/** Results kept for one reader. */
const MAX_RESULTS = 32;

/** Remembers what scans of parts of a blob have found, for as long as its reader lives. */
export class ReaderMemo<T> {
  readonly #results = new WeakMap<BlobReader, Map<string, T>>();

  get(reader: BlobReader, span: ByteSpan, detail: string = ""): T | undefined {
    return this.#results.get(reader)?.get(memoKey(span, detail));
  }

  set(reader: BlobReader, span: ByteSpan, result: T, detail: string = ""): void {
    const results = this.#results.get(reader) ?? new Map<string, T>();
    this.#results.set(reader, results);
    const [oldest] = results.keys();
    if (oldest !== undefined && results.size >= MAX_RESULTS) results.delete(oldest);
    results.set(memoKey(span, detail), result);
  }
}

function memoKey({ start, end }: ByteSpan, detail: string): string {
  return `${start}-${end} ${detail}`;
}
