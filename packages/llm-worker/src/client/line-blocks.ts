import { LlmError } from "./llm-error.js";

/** Most bytes one frame of a stream may have. A server that sends more without an end is broken. */
export const MAX_FRAME_BYTES: number = 64 * 1024 * 1024;

const LF = 10;
const CR = 13;
const BYTE_ORDER_MARK = "\uFEFF";

/** Takes the line `text.slice(start, end)`, which is without its line end. */
export type OnLine = (text: string, start: number, end: number) => void;

/**
 * Cuts a byte stream at its line ends (LF, CR LF or CR) and decodes whole lines, so that no cut of
 * the network can split a character. Each byte is looked at a fixed number of times, however it
 * arrives.
 */
export class LineBlocks {
  readonly #maxBytes: number;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #isAtStart = true;

  constructor(maxBytes: number = MAX_FRAME_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the line that has begun but not ended. */
  get pendingBytes(): number {
    return this.#tailBytes;
  }

  /**
   * Takes the next piece, which must not be changed afterwards, and hands on all lines that it
   * completes.
   *
   * @throws LlmError `protocol` if a line grows over the limit
   */
  write(chunk: Uint8Array, onLine: OnLine): void {
    const end = endOfLastLine(chunk);
    let start = 0;
    if (this.#tail.length > 0 && (end > 0 || (chunk.length > 0 && this.#tailEndsInCr()))) {
      // Only the line that began before is joined; what follows it is decoded where it lies.
      start = chunk.indexOf(LF) + 1 || end;
      readLines(this.#takeTail(chunk.subarray(0, start)), onLine);
    }
    if (start < end) readLines(this.#decode(chunk.subarray(start, end)), onLine);
    if (end < chunk.length) this.#keep(chunk.subarray(end));
  }

  /** The stream has ended: hands on the line that has no line end yet, an empty one if there is none. */
  end(onLine: OnLine): void {
    readLines(`${this.#takeTail(new Uint8Array())}\n`, onLine);
  }

  /** A CR at the end of a piece waits: an LF in the next one belongs to it. */
  #tailEndsInCr(): boolean {
    const last = this.#tail.at(-1);
    return last !== undefined && last[last.length - 1] === CR;
  }

  #keep(chunk: Uint8Array): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    assertFrameSize(this.#tailBytes, this.#maxBytes);
  }

  #takeTail(last: Uint8Array): string {
    const bytes = Buffer.concat([...this.#tail, last]);
    this.#tail = [];
    this.#tailBytes = 0;
    return this.#decode(bytes);
  }

  #decode(bytes: Uint8Array): string {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    if (!this.#isAtStart || text === "") return text;
    this.#isAtStart = false;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }
}

/** Hands on the lines of a text that ends with a line end. */
function readLines(text: string, onLine: OnLine): void {
  // Decided once, before the loop: V8 would otherwise look for a CR again at each line.
  const cr = text.indexOf("\r");
  if (cr >= 0) {
    readMixedLines(text, cr, onLine);
    return;
  }
  for (let start = 0; start < text.length;) {
    // Every other line of server-sent events is blank.
    const lf = text.charCodeAt(start) === LF ? start : text.indexOf("\n", start);
    onLine(text, start, lf);
    start = lf + 1;
  }
}

/** @param firstCr where the first CR is, alone or as half of a CR LF */
function readMixedLines(text: string, firstCr: number, onLine: OnLine): void {
  let cr = firstCr;
  for (let start = 0; start < text.length;) {
    const lf = text.indexOf("\n", start);
    if (cr < 0 || (lf >= 0 && lf < cr)) {
      onLine(text, start, lf);
      start = lf + 1;
    } else {
      onLine(text, start, cr);
      start = lf === cr + 1 ? lf + 1 : cr + 1;
      cr = text.indexOf("\r", start);
    }
  }
}

/** @throws LlmError `protocol` if a frame is over the limit */
export function assertFrameSize(byteCount: number, maxBytes: number): void {
  if (byteCount <= maxBytes) return;
  throw new LlmError(
    "protocol",
    `the server sent a frame of more than ${maxBytes} bytes; check that baseUrl names a model server`,
  );
}

/** Where the last line of `chunk` that is surely whole ends, 0 if none does. */
function endOfLastLine(chunk: Uint8Array): number {
  const afterLf = chunk.lastIndexOf(LF) + 1;
  // A CR in the last place may be half of a CR LF, so it is not looked at.
  const rest = chunk.subarray(afterLf, -1);
  return afterLf + rest.lastIndexOf(CR) + 1;
}
