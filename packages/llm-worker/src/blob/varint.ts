import { Buffer } from "node:buffer";

/** Writes unsigned integers up to 2^53, seven bits a byte, and byte strings, one after the other. */
export class VarintWriter {
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

  /** A length, then the UTF-8 of the text. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.uint(bytes.length);
    this.raw(bytes);
  }

  /** The bytes alone: the reader has to know how many. */
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

/** Bytes that an unsigned integer takes, see {@link VarintWriter.uint}. */
export function uintSize(value: number): number {
  let byteCount = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) byteCount++;
  return byteCount;
}
