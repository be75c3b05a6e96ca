import { asBuffer } from "./bytes.js";
import { ARRAY, OBJECT, isSpace } from "./json-bytes.js";
import { JsonScanner } from "./json-scanner.js";
import { SparseOffsets } from "./sparse-offsets.js";

const LINE_FEED = 0x0a;
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
  readonly #scanner = new JsonScanner();
  #base = 0;
  #hasFailed = false;
  #isInValue = false;
  #entryCount = 0;
  #byteCount = 0;

  /** It is not NDJSON. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  write(piece: Uint8Array): void {
    const bytes = asBuffer(piece);
    for (let at = 0; at < bytes.length && !this.#hasFailed;) {
      const feed = bytes.indexOf(LINE_FEED, at);
      const end = feed === -1 ? bytes.length : feed;
      this.#addToLine(bytes, at, end);
      if (feed !== -1) this.#endLine();
      at = end + 1;
    }
    this.#base += bytes.length;
  }

  /** Ends the input. How many values there are; `undefined` if it is not NDJSON. */
  end(): number | undefined {
    this.#endLine();
    return this.#hasFailed || this.#entryCount === 0 ? undefined : this.#entryCount;
  }

  #addToLine(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    if (!this.#isInValue) {
      while (at < end && isSpace[bytes[at] as number] === 1) at++;
      if (at === end) return;
      this.#isInValue = true;
      this.#hasFailed = bytes[at] !== OBJECT && bytes[at] !== ARRAY;
      this.#scanner.restart();
      this.starts.add(this.#base + at);
    }
    this.#byteCount += end - at;
    if (this.#entryCount === 0 && this.#byteCount > MAX_FIRST_LINE_BYTES) this.#hasFailed = true;
    if (this.#hasFailed) return;
    this.#scanner.write(bytes.subarray(at, end));
    this.#hasFailed = this.#scanner.done;
  }

  #endLine(): void {
    if (!this.#isInValue || this.#hasFailed) return;
    this.#isInValue = false;
    this.#hasFailed = !this.#scanner.end();
    this.#entryCount++;
  }
}
