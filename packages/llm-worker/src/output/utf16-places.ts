import { utf8Pieces } from "./utf8-pieces.js";

/** Finds places of a well-formed text, in UTF-16 units, by their bytes in UTF-8. */
export class Utf16Places {
  readonly #text: string;
  /** Where the pieces begin that the text was encoded in. */
  readonly #pieceUnits: number[] = [];
  readonly #pieceBytes: number[] = [];
  #byteCount = 0;
  #piece: { readonly number: number; readonly start: number; readonly bytes: Buffer } | undefined;
  /** The place that was asked for last. */
  #byte = 0;
  #unit = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next piece begins at `unit`, and has so many bytes. */
  addPiece(unit: number, byteCount: number): void {
    this.#pieceUnits.push(unit);
    this.#pieceBytes.push(this.#byteCount);
    this.#byteCount += byteCount;
  }

  /** The place of a byte that begins a character, and is not before the one that was asked for last. */
  at(byte: number): number {
    if (this.#byteCount === this.#text.length) return byte; // all is ASCII
    const { start, bytes } = this.#pieceOf(byte);
    this.#unit += bytes.toString("utf8", this.#byte - start, byte - start).length;
    this.#byte = byte;
    return this.#unit;
  }

  #pieceOf(byte: number): { readonly start: number; readonly bytes: Buffer } {
    let number = this.#piece?.number ?? 0;
    while ((this.#pieceBytes[number + 1] ?? Infinity) <= byte) number += 1;
    if (this.#piece?.number === number) return this.#piece;
    const [unit = 0, start = 0] = [this.#pieceUnits[number], this.#pieceBytes[number]];
    const [piece] = utf8Pieces(this.#text, unit);
    this.#piece = { number, start, bytes: Buffer.from(piece?.bytes ?? "") };
    this.#unit = unit;
    this.#byte = start;
    return this.#piece;
  }
}
