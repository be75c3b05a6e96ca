import type { CheckedBytes } from "./checked-bytes.js";

/** Reads what a `VarintWriter` wrote, and leaves out what is read where it lies. */
export class IndexCursor {
  readonly bytes: CheckedBytes;
  #at: number;

  constructor(bytes: CheckedBytes, at = 0) {
    this.bytes = bytes;
    this.#at = at;
  }

  /** Where it is. */
  get position(): number {
    return this.#at;
  }

  /** @throws CorruptIndexError where there is none */
  uint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.bytes.byte(this.#at++);
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const length = this.uint();
    const start = this.skip(length);
    return this.bytes.slice(start, start + length).toString();
  }

  /** Moves on by so many bytes. @returns where they begin */
  skip(byteCount: number): number {
    const start = this.#at;
    this.#at = start + byteCount;
    return start;
  }
}
