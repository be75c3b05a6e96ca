import { logBytes } from "../samples/log-text.js";

const PIECE_BYTES = 64 * 1024;
/** Distinct pieces, which come again and again: making them costs a stream nothing. */
const PIECE_COUNT = 64;

/** A tool's output as its process would give it: pieces of 64 KiB, of lines that are cut anywhere. */
export class PieceStream {
  readonly byteCount: number;
  readonly #pieces: readonly Buffer[];

  constructor(byteCount: number) {
    this.byteCount = byteCount;
    const bytes = logBytes(PIECE_COUNT * PIECE_BYTES);
    this.#pieces = Array.from({ length: PIECE_COUNT }, (_, index) =>
      bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
    );
  }

  /** How many lines there are in all. */
  get lineCount(): number {
    let count = 0;
    let last: number | undefined;
    const newlines = this.#pieces.map((piece) => piece.toString("latin1").split("\n").length - 1);
    for (let at = 0, index = 0; at < this.byteCount; index = (index + 1) % PIECE_COUNT) {
      const piece = this.#pieceAt(index, this.byteCount - at);
      const isWhole = piece.length === PIECE_BYTES;
      count += isWhole ? (newlines[index] ?? 0) : piece.toString("latin1").split("\n").length - 1;
      last = piece.at(-1);
      at += piece.length;
    }
    return last === NEWLINE ? count : count + 1;
  }

  /** The bytes, each time from the start. */
  *bytes(): Generator<Buffer> {
    for (let at = 0, index = 0; at < this.byteCount; index = (index + 1) % PIECE_COUNT) {
      const piece = this.#pieceAt(index, this.byteCount - at);
      yield piece;
      at += piece.length;
    }
  }

  /** The same as a tool gives them. */
  async *chunks(): AsyncGenerator<Buffer> {
    yield* this.bytes();
  }

  #pieceAt(index: number, maxBytes: number): Buffer {
    const piece = this.#pieces[index] ?? Buffer.alloc(0);
    return piece.length > maxBytes ? piece.subarray(0, maxBytes) : piece;
  }
}

const NEWLINE = 0x0a;
