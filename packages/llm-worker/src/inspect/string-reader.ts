import type { BlobReader } from "../blob/blob-store.js";
import { asBuffer } from "../blob/bytes.js";
import { BlobIndexBuilder } from "../blob/index-builder.js";
import { readPiece } from "../blob/read-pieces.js";

/** The longest escape of one character: two surrogates, `\ud83d\ude00`. */
const LONGEST_ESCAPE_BYTES = 12;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Where a piece begins, in the JSON text and in the decoded text. */
interface Piece {
  readonly rawStart: number;
  readonly start: number;
}

/**
 * Reads the string that a JSON string literal stands for as a text blob of its own. One pass over
 * the literal counts bytes and lines; after that a read decodes only what it needs. At most one
 * piece is held. Lone surrogates become U+FFFD.
 *
 * @param start the byte of `source` after the opening quote
 * @param end the byte of the closing quote
 */
export async function openStringReader(
  source: BlobReader,
  start: number,
  end: number,
): Promise<BlobReader> {
  const pieces: Piece[] = [];
  const builder = new BlobIndexBuilder({ kind: "text" });
  let decodedEnd = 0;
  for (let at = start; at < end;) {
    const piece = await decodePiece(source, at, end);
    pieces.push({ rawStart: at, start: decodedEnd });
    builder.write(piece.bytes);
    decodedEnd += piece.bytes.length;
    at += piece.rawBytes;
  }
  const { stat, index } = builder.finish();

  return {
    stat,
    index,
    async read(from: number, to: number): Promise<Uint8Array> {
      const last = Math.min(to, stat.byteCount);
      const parts: Uint8Array[] = [];
      let at = Math.max(0, from);
      for (let i = lastPieceAt(pieces, at); at < last; i++) {
        const piece = pieces[i];
        if (piece === undefined) break;
        const { bytes } = await decodePiece(source, piece.rawStart, end);
        const part = bytes.subarray(at - piece.start, last - piece.start);
        parts.push(part);
        at += part.length;
      }
      return Buffer.concat(parts);
    },
    close: () => source.close(),
  };
}

function lastPieceAt(pieces: readonly Piece[], offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle] as Piece).start <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface DecodedPiece {
  readonly bytes: Uint8Array;
  /** Bytes of the literal that `bytes` stands for. */
  readonly rawBytes: number;
}

async function decodePiece(source: BlobReader, start: number, end: number): Promise<DecodedPiece> {
  const raw = asBuffer(await readPiece(source, start, end));
  return decodeStringPiece(raw, start + raw.length < end);
}

/**
 * Decodes the inside of a JSON string literal.
 *
 * @param hasMore `true`: an escape that may go on after `raw` is left for the next piece
 */
function decodeStringPiece(raw: Buffer, hasMore: boolean): DecodedPiece {
  // No escape is shorter than what it stands for.
  const bytes = Buffer.allocUnsafe(raw.length);
  let length = 0;
  let at = 0;
  while (at < raw.length) {
    const escape = raw.indexOf(BACKSLASH, at);
    const plainEnd = escape === -1 ? raw.length : escape;
    bytes.set(raw.subarray(at, plainEnd), length);
    length += plainEnd - at;
    at = plainEnd;
    if (escape === -1 || (hasMore && escape + LONGEST_ESCAPE_BYTES > raw.length)) break;
    const short = shortEscapes[raw[escape + 1] ?? 0] ?? 0;
    if (short !== 0) {
      bytes[length++] = short;
      at = escape + 2;
      continue;
    }
    const escapeEnd = endOfUnicodeEscape(raw, escape);
    const literal = raw.toString("latin1", escape, escapeEnd);
    length += bytes.write(String(JSON.parse(`"${literal}"`)).toWellFormed(), length);
    at = escapeEnd;
  }
  return { bytes: bytes.subarray(0, length), rawBytes: at };
}

/** What the letter after a backslash stands for; 0 for `u` and what is no escape. */
const shortEscapes = new Uint8Array(256);
for (const [letter, escaped] of Object.entries({
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
})) {
  shortEscapes[letter.charCodeAt(0)] = escaped.charCodeAt(0);
}

/** Two escapes that are one character are taken together. */
function endOfUnicodeEscape(raw: Buffer, start: number): number {
  const isPair =
    isSurrogate(raw, start, 0xd800) &&
    raw[start + 6] === BACKSLASH &&
    raw[start + 7] === LETTER_U &&
    isSurrogate(raw, start + 6, 0xdc00);
  return start + (isPair ? 12 : 6);
}

function isSurrogate(raw: Buffer, escape: number, first: number): boolean {
  const unit = Number.parseInt(raw.toString("latin1", escape + 2, escape + 6), 16);
  return unit >= first && unit < first + 0x400;
}
