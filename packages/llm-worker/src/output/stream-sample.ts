import {
  sampleWindows,
  countNewlines,
  decodeHead,
  NEWLINE,
  type TextSample,
} from "./text-sample.js";

/** Bytes kept of each end, unless more are asked for. */
export const SAMPLE_WINDOW_BYTES = 65_536;

/**
 * Watches bytes go by and keeps both ends and the totals. Memory is bounded: at most three windows,
 * whatever the length of the stream.
 */
export class StreamSample {
  readonly #windowBytes: number;
  readonly #head: Buffer;
  /** The newest bytes beyond the head; up to twice a window, so that moving them is rare. */
  #tail: Buffer | undefined;
  #headLength = 0;
  #tailLength = 0;
  #byteCount = 0;
  #newlines = 0;
  #lastByte: number | undefined;

  constructor(windowBytes: number = SAMPLE_WINDOW_BYTES) {
    this.#windowBytes = windowBytes;
    this.#head = Buffer.allocUnsafe(windowBytes);
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** Lines as an editor shows them. */
  get lineCount(): number {
    const isOpen = this.#lastByte !== undefined && this.#lastByte !== NEWLINE;
    return this.#newlines + (isOpen ? 1 : 0);
  }

  /** Takes the next bytes; keeps copies only. */
  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#byteCount += chunk.length;
    this.#newlines += countNewlines(chunk);
    this.#lastByte = chunk.at(-1);
    const forHead = Math.min(chunk.length, this.#windowBytes - this.#headLength);
    this.#head.set(chunk.subarray(0, forHead), this.#headLength);
    this.#headLength += forHead;
    if (forHead < chunk.length) this.#addToTail(chunk.subarray(forHead));
  }

  /** Both ends as text. */
  text(): TextSample {
    const head = this.#head.subarray(0, this.#headLength);
    const tail = this.#newest();
    if (this.#headLength + tail.length < this.#byteCount) return sampleWindows(head, tail);
    return { head: decodeHead(Buffer.concat([head, tail]), "whole"), tail: "", isWhole: true };
  }

  #addToTail(chunk: Uint8Array): void {
    const capacity = 2 * this.#windowBytes;
    const tail = (this.#tail ??= Buffer.allocUnsafe(capacity));
    const part = chunk.subarray(-this.#windowBytes);
    if (part.length === this.#windowBytes) this.#tailLength = 0;
    else if (this.#tailLength + part.length > capacity) {
      const kept = this.#newest();
      tail.set(kept, 0);
      this.#tailLength = kept.length;
    }
    tail.set(part, this.#tailLength);
    this.#tailLength += part.length;
  }

  #newest(): Buffer {
    const start = Math.max(0, this.#tailLength - this.#windowBytes);
    return (this.#tail ?? Buffer.alloc(0)).subarray(start, this.#tailLength);
  }
}
