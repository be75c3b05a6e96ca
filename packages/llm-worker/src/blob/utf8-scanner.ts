import { isUtf8 } from "node:buffer";

/**
 * Tells whether bytes are valid UTF-8, in pieces cut anywhere, and if not, how many of them belong
 * to no character. As the WHATWG decoder sees it: no surrogates, nothing overlong.
 */
export class Utf8Scanner {
  #invalidByteCount = 0;
  /** Bytes seen of the character that is being read, and how many are still missing. */
  #seen = 0;
  #missing = 0;
  /** What the next continuation byte may be. */
  #lowest = 0x80;
  #highest = 0xbf;

  get invalidByteCount(): number {
    return this.#invalidByteCount;
  }

  write(piece: Uint8Array): void {
    let start = 0;
    while (this.#missing > 0 && start < piece.length) start = this.#step(piece, start);
    const end = lastCharacterStart(piece, start);
    if (!isUtf8(piece.subarray(start, end))) this.#walk(piece, start, end);
    this.#walk(piece, end, piece.length);
  }

  /** Ends the input: a character that is not complete is invalid. */
  end(): void {
    this.#invalidByteCount += this.#seen;
    this.#seen = this.#missing = 0;
  }

  #walk(piece: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end) at = this.#step(piece, at);
  }

  /** Takes the byte at `at`; the result is the index of the next byte to take. */
  #step(piece: Uint8Array, at: number): number {
    const byte = piece[at] as number; // callers stay below the length
    if (this.#missing === 0) {
      this.#begin(byte);
      return at + 1;
    }
    if (byte < this.#lowest || byte > this.#highest) {
      this.#invalidByteCount += this.#seen;
      this.#seen = this.#missing = 0;
      return at; // it may begin a character of its own
    }
    this.#lowest = 0x80;
    this.#highest = 0xbf;
    this.#seen++;
    if (--this.#missing === 0) this.#seen = 0;
    return at + 1;
  }

  #begin(byte: number): void {
    if (byte <= 0x7f) return;
    const missing = continuationCount(byte);
    if (missing === 0) {
      this.#invalidByteCount++;
      return;
    }
    this.#seen = 1;
    this.#missing = missing;
    this.#lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
  }
}

/** How many bytes follow this first byte of a character; 0 if it is not one. */
function continuationCount(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 1;
  if (byte >= 0xe0 && byte <= 0xef) return 2;
  return byte >= 0xf0 && byte <= 0xf4 ? 3 : 0;
}

/** Where the last character begins if the end of the piece cuts it, else the end. */
function lastCharacterStart(piece: Uint8Array, from: number): number {
  const end = piece.length;
  for (let at = end - 1; at >= from && at >= end - 3; at--) {
    const byte = piece[at] as number; // within the piece
    if ((byte & 0xc0) === 0x80) continue;
    return at + continuationCount(byte) >= end ? at : end;
  }
  return end;
}
