import { CorruptBlobError } from "./blob-error.js";
import type { ByteSpan } from "./bytes.js";
import type { BlobReader } from "./blob-store.js";
import { isSpace, jsonTypeOf, type JsonType } from "./json-bytes.js";
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
    const byte = window.find((candidate) => isSpace[candidate] === 0);
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
  /** Where the value that begins at `start` ends, if that is known: the rest of it is not read. */
  endOfValue?(start: number): Promise<number | undefined>;
}

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
  const limit = Math.min(end, shortcuts.limit ?? end);
  while (!scanner.done && scanner.position < limit) {
    parts.write(await readPiece(reader, scanner.position, limit));
    const valueStart = scanner.done ? undefined : scanner.openValueStart;
    if (valueStart === undefined) continue;
    const valueEnd = (await shortcuts.endOfValue?.(valueStart)) ?? 0;
    if (valueEnd > scanner.position) parts.skipValue(valueEnd);
  }
  if (scanner.failure === "too_deep") throw new CorruptBlobError("nested too deep", end);
  if (scanner.failure !== undefined || (!scanner.done && !parts.end())) {
    throw new CorruptBlobError("not JSON", scanner.position);
  }
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
  throw new TypeError(`there is no ${expected} at byte ${span.start}: found ${found ?? "no JSON"}`);
}
