import { CorruptBlobError } from "./blob-error.js";
import type { ByteSpan } from "./bytes.js";
import type { BlobReader } from "./blob-store.js";
import { firstTokenByte, jsonTypeOf, type JsonType } from "./json-bytes.js";
import type { JsonPartScanner } from "./json-part-scanner.js";
import { readPiece } from "./read-pieces.js";

/** Enough for the space between two values, as a rule. */
const WINDOW_BYTES = 256;

/** The type of the JSON value that begins at `offset`, or after white space there. */
export async function jsonTypeAt(
  reader: BlobReader,
  offset: number,
): Promise<JsonType | undefined> {
  for (let at = offset; at < reader.stat.byteCount; at += WINDOW_BYTES) {
    const window = await reader.read(at, at + WINDOW_BYTES);
    const byte = firstTokenByte(window);
    if (byte !== undefined) return jsonTypeOf(byte);
  }
  return undefined;
}

/** The whole blob. */
export function wholeSpan({ stat }: BlobReader): ByteSpan {
  return { start: 0, end: stat.byteCount };
}

export function isWhole({ stat }: BlobReader, { start, end }: ByteSpan): boolean {
  return start === 0 && end === stat.byteCount;
}

/** What makes a scan shorter. */
export interface ScanShortcuts {
  /** The scan is stopped by what lies before this byte. */
  readonly limit?: number | undefined;
  /** The scan ends before this byte, which follows a comma of the outermost array or object. */
  readonly blockEnd?: number | undefined;
  /**
   * Where the value that begins at `start` ends, if that is known: the rest of it is not read.
   * `position` is how far it has been read.
   */
  readonly endOfValue?: (start: number, position: number) => Promise<number | undefined>;
}

/** What a scan reads first, and after it has left a value out; then more and more. */
const FIRST_READ_BYTES = 32_768;
/** What it looks at before it asks whether the value that it is in can be left out; then more and more. */
const FIRST_LOOK_BYTES = 2048;
/** What has just begun is not asked about yet: most values end soon. */
const MIN_ASKED_BYTES = 1024;

/**
 * Runs a scanner from where it is to `end`, or until it is stopped.
 *
 * @throws CorruptBlobError if the bytes are not JSON
 */
export async function runScan(
  reader: BlobReader,
  parts: JsonPartScanner,
  end: number,
  shortcuts: ScanShortcuts = {},
): Promise<void> {
  const { scanner } = parts;
  const { blockEnd } = shortcuts;
  const limit = Math.min(end, shortcuts.limit ?? end, blockEnd ?? end);
  let readBytes = FIRST_READ_BYTES;
  while (!scanner.done && scanner.position < limit) {
    const { position } = scanner;
    // A rest that is not much more is read with it: over a network that spares a request.
    const readEnd = limit - position <= 2 * readBytes ? limit : position + readBytes;
    const piece = await readPiece(reader, position, readEnd);
    const hasLeftOut = await scanPiece(parts, piece, shortcuts);
    readBytes = hasLeftOut ? FIRST_READ_BYTES : readBytes * 2;
  }
  if (scanner.failure === "too_deep") throw new CorruptBlobError("nested too deep", end);
  const isAtBlockEnd = blockEnd !== undefined && isBetween(scanner);
  if (scanner.failure !== undefined || (!scanner.done && !isAtBlockEnd && !parts.end())) {
    throw new CorruptBlobError("not JSON", scanner.position);
  }
}

/** Scans a piece up to a value that is left out. Resolves to whether there was one. */
async function scanPiece(
  parts: JsonPartScanner,
  piece: Uint8Array,
  { endOfValue }: ScanShortcuts,
): Promise<boolean> {
  const { scanner } = parts;
  let lookBytes = endOfValue === undefined ? piece.length : FIRST_LOOK_BYTES;
  for (let at = 0; at < piece.length && !scanner.done; lookBytes *= 2) {
    parts.write(piece.subarray(at, at + lookBytes));
    at += lookBytes;
    const valueStart = scanner.done ? undefined : scanner.openValueStart;
    if (valueStart === undefined || scanner.position - valueStart < MIN_ASKED_BYTES) continue;
    const valueEnd = (await endOfValue?.(valueStart, scanner.position)) ?? 0;
    if (valueEnd <= scanner.position) continue;
    parts.skipValue(valueEnd);
    return true;
  }
  return false;
}

function isBetween({ openKeyStart, openValueStart }: JsonPartScanner["scanner"]): boolean {
  return openKeyStart === undefined && openValueStart === undefined;
}

/**
 * Refuses a span that holds something else.
 *
 * @throws TypeError
 */
export async function expectType(
  reader: BlobReader,
  span: ByteSpan,
  expected: JsonType,
): Promise<void> {
  const found = await jsonTypeAt(reader, span.start);
  if (found === expected) return;
  throw unexpectedType(span.start, expected, found);
}

/** There is something else at this byte than what was asked for. */
export function unexpectedType(
  start: number,
  expected: JsonType,
  found: JsonType | undefined,
): TypeError {
  return new TypeError(`there is no ${expected} at byte ${start}: found ${found ?? "no JSON"}`);
}
