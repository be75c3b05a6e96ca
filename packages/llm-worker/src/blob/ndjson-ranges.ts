import type { BlobReader } from "./blob-store.js";
import { asBuffer, type ByteSpan } from "./bytes.js";
import type { ElementRangesOptions } from "./array-ranges.js";
import { isSpace } from "./json-bytes.js";
import { lineRange } from "./line-ranges.js";
import { readPiece } from "./read-pieces.js";

const LINE_FEED = 0x0a;
/** What is read first; then more and more. */
const FIRST_READ_BYTES = 32_768;

/**
 * The bytes of each of the entries `[from, to)`, counted from 0, of a text that is NDJSON: its lines
 * without those that are blank, and without space around. Fewer where the text ends, or `maxBytes`
 * is reached. With an index this reads little more than the answer.
 */
export async function lineEntryRanges(
  reader: BlobReader,
  from: number,
  to: number,
  options: ElementRangesOptions = {},
): Promise<readonly ByteSpan[]> {
  const { byteCount } = reader.stat;
  const begin = await entryBefore(reader, from);
  let { entry } = begin;
  const ranges: ByteSpan[] = [];
  let room = options.maxBytes ?? Infinity;
  let start: number | undefined;
  let end = 0;
  const endLine = (): void => {
    if (start === undefined) return;
    if (entry >= from && entry < to) {
      ranges.push({ start, end });
      room -= end - start;
    }
    entry++;
    start = undefined;
  };
  let readBytes = FIRST_READ_BYTES;
  for (let at = begin.offset; at < byteCount && entry < to && room > 0;) {
    const piece = asBuffer(await readPiece(reader, at, Math.min(byteCount, at + readBytes)));
    readBytes *= 2;
    for (let line = 0; line < piece.length && entry < to && room > 0;) {
      const feed = piece.indexOf(LINE_FEED, line);
      const lineEnd = feed === -1 ? piece.length : feed;
      const [first, last] = trimmed(piece, line, lineEnd);
      if (first < last) {
        start ??= at + first;
        end = at + last;
      }
      if (feed !== -1) endLine();
      line = lineEnd + 1;
    }
    at += piece.length;
    if (at === byteCount && room > 0) endLine();
  }
  return ranges;
}

/** A place from which on entries are counted: that of the entry, or of one before it. */
async function entryBefore(
  reader: BlobReader,
  wanted: number,
): Promise<{ readonly entry: number; readonly offset: number }> {
  const { index, stat } = reader;
  // Without blank lines entries are counted as lines are.
  if (stat.entryCount !== undefined && stat.entryCount === stat.lineCount) {
    const { start, firstLine } = await lineRange(reader, wanted, wanted);
    return { entry: firstLine, offset: start };
  }
  const entries = index?.type === "text" ? index.entries : undefined;
  if (entries === undefined) return { entry: 0, offset: 0 };
  const { stride, offsets } = entries;
  const position = Math.min(Math.floor(wanted / stride), offsets.length - 1);
  if (position < 0) return { entry: 0, offset: 0 };
  return { entry: position * stride, offset: offsets.at(position) ?? 0 };
}

function trimmed(bytes: Uint8Array, from: number, to: number): readonly [number, number] {
  let [first, last] = [from, to];
  while (first < last && isSpace[bytes[first] as number] === 1) first++;
  while (last > first && isSpace[bytes[last - 1] as number] === 1) last--;
  return [first, last];
}
