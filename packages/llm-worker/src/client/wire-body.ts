/** Pieces below this are cheaper to copy than to hand to a socket. */
const MIN_PIECE_BYTES = 16 * 1024;

/**
 * A request body: JSON text as UTF-8, in pieces. Most of them are shared with other requests of the
 * conversation, so they are not to be changed. `String(body)` is the text.
 */
export class WireBody {
  readonly pieces: readonly Uint8Array[];
  readonly byteLength: number;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = withoutSmallPieces(pieces);
    this.byteLength = this.pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  toString(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

/** What is sent for a body: its text, or what it is made of. */
export function bodyPieces(body: string | WireBody): readonly Uint8Array[] {
  return typeof body === "string" ? [Buffer.from(body)] : body.pieces;
}

function withoutSmallPieces(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const joinSmall = (): void => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length < MIN_PIECE_BYTES) {
      small.push(piece);
    } else {
      joinSmall();
      joined.push(piece);
    }
  }
  joinSmall();
  return joined;
}
