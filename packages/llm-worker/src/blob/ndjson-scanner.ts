import { asBuffer } from "./bytes.js";
import { LINE_FEED } from "./json-bytes.js";
import { JsonScanner } from "./json-scanner.js";
import { SparseOffsets } from "./sparse-offsets.js";

/**
 * A first line that is longer is not looked at to its end: it is more likely one large JSON value,
 * which would be scanned twice.
 */
const MAX_FIRST_LINE_BYTES = 65_536;

/**
 * Finds out whether a text is NDJSON: each line that is not blank one JSON array or object. Takes
 * pieces cut anywhere; the first line that is none ends its work.
 */
export class NdjsonScanner {
  /** Where the values begin. */
  readonly starts: SparseOffsets = new SparseOffsets();
  readonly #scanner: JsonScanner = new JsonScanner(
    {
      onLine: (start) => {
        this.#firstStart ??= start;
        this.starts.add(start);
      },
    },
    { values: "lines" },
  );
  #firstStart: number | undefined;
  #isPastFirstLine = false;
  #hasFailed = false;

  /** It is not NDJSON. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  write(piece: Uint8Array): void {
    let at = 0;
    while (!this.#isPastFirstLine && at < piece.length && !this.#hasFailed) {
      at = this.#beginWith(asBuffer(piece), at);
    }
    if (at < piece.length && !this.#hasFailed) this.#scan(piece.subarray(at));
  }

  /** Ends the input. How many values there are; `undefined` if it is not NDJSON. */
  end(): number | undefined {
    const { count } = this.starts;
    return this.#hasFailed || !this.#scanner.end() || count === 0 ? undefined : count;
  }

  /** Scans from `at` to the end of the line, but not too far; the result is where that is. */
  #beginWith(bytes: Buffer, at: number): number {
    const lineEnd = bytes.indexOf(LINE_FEED, at) + 1;
    const end = Math.min(lineEnd === 0 ? bytes.length : lineEnd, at + MAX_FIRST_LINE_BYTES);
    this.#scan(bytes.subarray(at, end));
    if (this.#firstStart === undefined) return end;
    const hasEnded = end === lineEnd;
    const lineBytes = this.#scanner.position - this.#firstStart - (hasEnded ? 1 : 0);
    if (lineBytes > MAX_FIRST_LINE_BYTES) this.#hasFailed = true;
    this.#isPastFirstLine = hasEnded;
    return end;
  }

  #scan(bytes: Uint8Array): void {
    this.#scanner.write(bytes);
    this.#hasFailed = this.#scanner.done;
  }
}
