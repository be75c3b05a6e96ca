import { asBuffer, type ByteSpan } from "./bytes.js";
import type { BlobReader } from "./blob-store.js";
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
  const { byteCount } = reader.stat;
  const target = Math.min(byteOffset, byteCount - 1);
  let { line, offset } = nearestStart(reader, (start) => start.offset <= target);
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
  let { line, offset } = nearestStart(reader, (start) => start.line <= wanted);
  const limit = offsetAfter(reader, wanted) ?? byteCount;
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

/** The last of the known line starts that fit. */
function nearestStart(reader: BlobReader, fits: (start: LineStart) => boolean): LineStart {
  const indexed = nearestIndexed(reader, fits);
  const found = lastFound.get(reader);
  return found !== undefined && fits(found) && found.line > indexed.line ? found : indexed;
}

function nearestIndexed({ index }: BlobReader, fits: (start: LineStart) => boolean): LineStart {
  let nearest: LineStart = { line: 0, offset: 0 };
  if (index?.type !== "text") return nearest;
  let low = 0;
  let high = index.offsets.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const start = { line: middle * index.stride, offset: index.offsets.at(middle) as number }; // within
    if (fits(start)) {
      nearest = start;
      low = middle + 1;
    } else high = middle - 1;
  }
  return nearest;
}

/** Where the first indexed line after this one begins. */
function offsetAfter({ index }: BlobReader, line: number): number | undefined {
  return index?.type === "text" ? index.offsets.at(Math.floor(line / index.stride) + 1) : undefined;
}
