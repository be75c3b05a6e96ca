import { Buffer } from "node:buffer";
import { asBuffer } from "./bytes.js";

/** What takes unsigned integers up to 2^53 and byte strings, one after the other. */
export interface VarintSink {
  uint(value: number): void;
  /** A length, then the UTF-8 of the text. */
  text(value: string): void;
  /** The bytes alone: the reader has to know how many. */
  raw(bytes: Uint8Array): void;
}

/** Counts the bytes that a {@link VarintWriter} would write. */
export class VarintCounter implements VarintSink {
  byteCount = 0;

  uint(value: number): void {
    this.byteCount += uintSize(value);
  }

  text(value: string): void {
    const byteCount = Buffer.byteLength(value);
    this.byteCount += uintSize(byteCount) + byteCount;
  }

  raw(bytes: Uint8Array): void {
    this.byteCount += bytes.length;
  }
}

/** Writes unsigned integers up to 2^53, seven bits a byte, and byte strings, one after the other. */
export class VarintWriter implements VarintSink {
  #bytes: Uint8Array = new Uint8Array(256);
  #length = 0;

  /** What has been written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  uint(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 0x80)) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    }
    // Within 31 bits the shift is much faster than the division.
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  text(value: string): void {
    const bytes = Buffer.from(value);
    this.uint(bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** Bytes a number takes as {@link VarintWriter} writes it. */
export function uintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Reads what {@link VarintWriter} wrote. Throws a `RangeError` where the bytes do not allow it. */
export class VarintReader {
  readonly #bytes: Buffer;
  /** All of the bytes, once a text is asked for. */
  #latin1: string | undefined;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = asBuffer(bytes);
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  uint(): number {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 0x80) {
      this.#at++;
      return first;
    }
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("a number is cut");
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError("a number is too big");
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
  }

  /**
   * So many numbers, each written as its distance from the one before, the first from `before`. One
   * loop for all: an index has thousands, and is read before the first answer, by code that is cold.
   */
  increasing(length: number, before: number): Float64Array {
    const bytes = this.#bytes;
    const values = new Float64Array(length);
    let at = this.#at;
    let value = before;
    for (let position = 0; position < length; position++) {
      let byte = bytes[at++] ?? 0;
      value += byte & 0x7f;
      for (let unit = 0x80; byte > 0x7f; unit *= 0x80) {
        byte = bytes[at++] ?? 0;
        value += (byte & 0x7f) * unit;
      }
      values[position] = value;
    }
    if (at > bytes.length) throw new RangeError("a number is cut");
    // They do not become less: if the last is not too big none is. (One without end is NaN.)
    if (!(value <= Number.MAX_SAFE_INTEGER)) throw new RangeError("a number is too big");
    this.#at = at;
    return values;
  }

  text(): string {
    const start = this.#startOf(this.uint());
    const end = this.#at;
    // A part of a string that is there is had much faster than the text of some bytes.
    this.#latin1 ??= this.#bytes.toString("latin1");
    const text = this.#latin1.slice(start, end);
    return isAscii.test(text) ? text : this.#bytes.toString("utf8", start, end);
  }

  /** A copy of the next bytes. */
  raw(byteCount: number): Uint8Array {
    const start = this.#startOf(byteCount);
    return new Uint8Array(this.#bytes.subarray(start, this.#at));
  }

  /** Where so many bytes begin that are read as one. */
  #startOf(byteCount: number): number {
    const start = this.#at;
    if (byteCount > this.#bytes.length - start) throw new RangeError("bytes are cut");
    this.#at = start + byteCount;
    return start;
  }
}

const isAscii = /^[\0-\x7f]*$/;
