import type { ChunkSource } from "./chunk-source.js";

/** A piece has this much, except for the last one: as much as stores write at once. */
export const PIECE_BYTES = 262_144;

/**
 * The bytes of a stream in pieces that are worth a write each: a tool that gives lines does not cost
 * a write a line, and one that gives all at once no write that takes longer than a store may. A piece
 * is valid until the next one is asked for.
 */
export class PieceSource {
  readonly #source: ChunkSource;
  #buffer: Buffer | undefined;
  /** What did not fit into the last piece. The tool has not been asked for more since. */
  #rest: Uint8Array | undefined;

  constructor(source: ChunkSource) {
    this.#source = source;
  }

  /** The next bytes, or `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const first = this.#rest ?? (await this.#source.next());
    this.#rest = undefined;
    if (first === undefined) return undefined;
    if (first.length >= PIECE_BYTES) {
      if (first.length > PIECE_BYTES) this.#rest = first.subarray(PIECE_BYTES);
      return first.subarray(0, PIECE_BYTES);
    }
    const buffer = (this.#buffer ??= Buffer.allocUnsafeSlow(PIECE_BYTES));
    buffer.set(first);
    let length = first.length;
    while (length < PIECE_BYTES) {
      const chunk = await this.#source.next();
      if (chunk === undefined) break;
      const part = chunk.subarray(0, PIECE_BYTES - length);
      buffer.set(part, length);
      length += part.length;
      if (part.length < chunk.length) this.#rest = chunk.subarray(part.length);
    }
    return buffer.subarray(0, length);
  }
}
