import type { SparsePositions } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import { asBuffer, type ByteSpan } from "./bytes.js";
import { lastAtOrBefore } from "./lookup.js";
import { readPiece } from "./read-pieces.js";

const LINE_FEED = 0x0a;

/** Lines of a blob, with the bytes they take, line ends included. */
export interface LineRange extends ByteSpan {
  /** 0-based. */
  readonly firstLine: number;
  /** The line after the last. */
  readonly endLine: number;
}

/** Where a line begins. */
interface LineStart {
  readonly line: number;
  readonly offset: number;
}

/** The last place found in each blob: what is asked for next is often a little further on. */
const lastFound = new WeakMap<BlobReader, LineStart>();

/**
 * The bytes of the lines `[firstLine, endLine)`, counted from 0 and clamped to the lines there are.
 * With an index this reads what lies between two of its entries; without one it scans.
 */
export async function lineRange(
  reader: BlobReader,
  firstLine: number,
  endLine: number,
): Promise<LineRange> {
  const first = await findLine(reader, firstLine);
  const end = await findLine(reader, Math.max(firstLine, endLine));
  return { start: first.offset, end: end.offset, firstLine: first.line, endLine: end.line };
}

/** The line, counted from 0, that the byte lies in; for an offset past the end the last line. */
export async function lineAt(reader: BlobReader, byteOffset: number): Promise<number> {
  const { byteCount, lineCount } = reader.stat;
  const target = Math.min(byteOffset, byteCount - 1);
  const positions = positionsOf(reader);
  const { stride, offsets } = positions;
  const position = lastAtOrBefore(target, offsets);
  const indexed = startAt(positions, position);
  const found = lastFound.get(reader) ?? indexed;
  let { line, offset } = found.offset <= target && found.line > indexed.line ? found : indexed;
  // Huge lines are not read: none begins before the next that is known.
  const next = position + 1 < offsets.length ? (position + 1) * stride : lineCount;
  if (line + 1 === next) return line;
  for (let at = offset; at < target;) {
    const piece = asBuffer(await readPiece(reader, at, target));
    for (let feed = piece.indexOf(LINE_FEED); feed !== -1;) {
      line++;
      offset = at + feed + 1;
      feed = piece.indexOf(LINE_FEED, feed + 1);
    }
    at += piece.length;
  }
  lastFound.set(reader, { line, offset });
  return line;
}

/** Where a line begins; past the last line the end of the blob, with the number of lines. */
async function findLine(reader: BlobReader, wanted: number): Promise<LineStart> {
  const { byteCount, lineCount } = reader.stat;
  if (lineCount !== undefined && wanted >= lineCount) return { line: lineCount, offset: byteCount };
  const positions = positionsOf(reader);
  const { stride, offsets } = positions;
  const position = Math.min(Math.floor(wanted / stride), offsets.length - 1);
  const indexed = startAt(positions, position);
  const found = lastFound.get(reader) ?? indexed;
  let { line, offset } = found.line <= wanted && found.line > indexed.line ? found : indexed;
  const limit = offsets.at(position + 1) ?? byteCount;
  let at = offset;
  while (line < wanted && at < limit) {
    const piece = asBuffer(await readPiece(reader, at, limit));
    let feed = piece.indexOf(LINE_FEED);
    while (feed !== -1 && line < wanted) {
      line++;
      offset = at + feed + 1;
      feed = piece.indexOf(LINE_FEED, feed + 1);
    }
    at += piece.length;
  }
  if (line < wanted && offset < byteCount) return { line: line + 1, offset: byteCount };
  lastFound.set(reader, { line, offset });
  return { line, offset };
}

/** The lines that the index knows. */
function positionsOf({ index }: BlobReader): SparsePositions {
  return index?.type === "text" ? index : NO_POSITIONS;
}

const NO_POSITIONS: SparsePositions = { stride: 1, offsets: [] };

/** Where such a line begins; before them all the blob. */
function startAt({ stride, offsets }: SparsePositions, position: number): LineStart {
  if (position < 0) return { line: 0, offset: 0 };
  return { line: position * stride, offset: offsets.at(position) ?? 0 };
}
