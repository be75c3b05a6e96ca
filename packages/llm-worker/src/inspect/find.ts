import type { BlobReader } from "../blob/blob-store.js";
import { asBuffer } from "../blob/bytes.js";
import { lineAt } from "../blob/line-ranges.js";
import { type Part, type PartLimits, shorten } from "./answer.js";
import { CHARACTER_LOOKBACK_BYTES, characterStart, countLineFeeds, decode } from "./characters.js";
import { createEntryLocator } from "./entry-locator.js";
import { printable } from "./hex.js";
import { isText, type Scope, type View } from "./view.js";

/** Searched at once: enough that what each read costs beside its bytes does not count. */
const PIECE_BYTES = 1_048_576;
/** Shown on each side of a match, within its line. */
const CONTEXT_BYTES = 80;
/** Shown of a match that is longer. */
const SHOWN_MATCH_BYTES = 160;
/** Read on each side of a piece, so that each match in it has its context. */
const MARGIN_BYTES = CONTEXT_BYTES + CHARACTER_LOOKBACK_BYTES + 1;
const LINE_FEED = 0x0a;

/**
 * Lists where a text occurs, each place with a little around it, and counts all of them. Literal,
 * without overlaps. Reads the scope once, in pieces; holds two of them.
 */
export async function findPart(
  view: View,
  scope: Scope,
  text: string,
  limits: PartLimits,
  signal?: AbortSignal,
): Promise<Part> {
  const needle = Buffer.from(text);
  const bytes = `bytes ${scope.start}-${scope.end} of ${view.reader.stat.byteCount}`;
  const { count, lines, listedEnd } = await listMatches(view, scope, needle, limits, signal);
  if (count === 0) return textPart(view, ["no match", bytes], noMatchNote(view));

  const part = textPart(view, [`matches 1-${lines.length} of ${count}`, bytes], lines.join("\n"));
  if (lines.length === count) return part;
  return {
    ...part,
    next: [
      ...view.path,
      { type: "bytes", start: listedEnd, end: scope.end },
      { type: "find", text },
    ],
  };
}

function textPart({ kind }: View, facts: readonly string[], text: string): Part {
  return { kind, facts, text, payload: Buffer.from(text) };
}

function noMatchNote(view: View): string {
  const note = "find: is literal; upper and lower case differ";
  if (isText(view.kind) || view.kind === "binary") return note;
  return `${note}; it searches the JSON text as written, where ", \\ and line ends are escaped`;
}

interface Matches {
  readonly count: number;
  /** One for each match that fits, in order. */
  readonly lines: readonly string[];
  /** The byte after the last match that is listed. */
  readonly listedEnd: number;
}

async function listMatches(
  view: View,
  scope: Scope,
  needle: Uint8Array,
  limits: PartLimits,
  signal: AbortSignal | undefined,
): Promise<Matches> {
  const describePlace = await createPlaces(view, scope.start);
  const lines: string[] = [];
  let room = limits.maxBytes;
  let listedEnd = scope.start;
  let count = 0;
  let at = scope.start;
  for await (const piece of piecesOf(view.reader, scope, needle.length)) {
    signal?.throwIfAborted();
    const found = occurrences(piece, needle, Math.max(at, piece.start), piece.end);
    for (const match of found) {
      if (room < 0) break;
      const place = await describePlace(match, piece);
      const line = shorten(
        `${place}: ${showMatch(piece, match, needle.length, view)}`,
        limits.maxBytes - 1,
      );
      room -= Buffer.byteLength(line) + 1;
      if (room < 0) break;
      lines.push(line);
      listedEnd = match + needle.length;
    }
    count += found.length;
    const last = found.at(-1);
    // A match may reach into the next piece: there are no overlaps.
    if (last !== undefined) at = last + needle.length;
  }
  return { count, lines, listedEnd };
}

/** A piece in which matches are looked for that begin in `[start, end)`, with its surroundings. */
interface SearchPiece extends Piece {
  readonly start: number;
  readonly end: number;
}

/**
 * All pieces of a scope in which a match may begin. The next is read while one is searched, and into
 * the memory of the one before it.
 */
async function* piecesOf(
  reader: BlobReader,
  scope: Scope,
  needleLength: number,
): AsyncGenerator<SearchPiece, void, undefined> {
  const startsEnd = scope.end - needleLength + 1;
  const around = needleLength + 2 * MARGIN_BYTES;
  const isLong = startsEnd - scope.start > PIECE_BYTES;
  const memories = isLong ? [0, 1].map(() => Buffer.allocUnsafeSlow(PIECE_BYTES + around)) : [];
  let pieceCount = 0;
  const readPiece = async (start: number): Promise<SearchPiece | undefined> => {
    if (start >= startsEnd) return undefined;
    const base = Math.max(0, start - MARGIN_BYTES);
    const end = Math.min(start + PIECE_BYTES, startsEnd);
    const memory = memories[pieceCount++ % 2];
    const bytes = asBuffer(await reader.read(base, end + needleLength + MARGIN_BYTES, memory));
    return { base, bytes, start, end };
  };
  let next = readPiece(scope.start);
  try {
    for (let piece = await next; piece !== undefined; piece = await next) {
      next = readPiece(piece.end);
      yield piece;
    }
  } finally {
    // Who has seen enough is not told that there is no more.
    next.catch(() => undefined);
  }
}

type DescribePlace = (offset: number, piece: Piece) => Promise<string>;

/** Where a match is, told in what the kind is read by. To be asked in ascending order. */
async function createPlaces(view: View, start: number): Promise<DescribePlace> {
  if (isText(view.kind)) {
    let line = (await lineAt(view.reader, start)) + 1;
    let countedTo = start;
    return async (offset, piece) => {
      // What lies in earlier pieces is not at hand any more.
      if (countedTo < piece.base) line = (await lineAt(view.reader, piece.base)) + 1;
      const from = Math.max(countedTo, piece.base) - piece.base;
      line += countLineFeeds(piece.bytes.subarray(from, offset - piece.base));
      countedTo = offset;
      return `line ${line} (byte ${offset})`;
    };
  }
  const entryAt = createEntryLocator(view);
  return async (offset) => {
    const entry = await entryAt?.(offset);
    return entry === undefined ? `byte ${offset}` : `entry ${entry} (byte ${offset})`;
  };
}

/** Bytes of a value, `base` being the offset of the first. */
interface Piece {
  readonly base: number;
  readonly bytes: Buffer;
}

/** Where the needle begins in `[from, to)`. */
function occurrences(
  { base, bytes }: Piece,
  needle: Uint8Array,
  from: number,
  to: number,
): readonly number[] {
  const offsets: number[] = [];
  let at = bytes.indexOf(needle, from - base);
  while (at !== -1 && base + at < to) {
    offsets.push(base + at);
    at = bytes.indexOf(needle, at + needle.length);
  }
  return offsets;
}

/** A match with what is around it in its line, on one line. What is left out shows as `…`. */
function showMatch(piece: Piece, offset: number, length: number, view: View): string {
  const { bytes } = piece;
  const at = offset - piece.base;
  const end = at + length;
  if (view.kind === "binary") {
    return printable(bytes.subarray(Math.max(0, at - CONTEXT_BYTES), end + CONTEXT_BYTES));
  }
  const lineStart = bytes.subarray(0, at).lastIndexOf(LINE_FEED) + 1;
  const nextFeed = bytes.indexOf(LINE_FEED, end);
  const lineEnd = nextFeed === -1 ? bytes.length : nextFeed;
  const from = Math.max(lineStart, characterStart(bytes, Math.max(0, at - CONTEXT_BYTES)));
  const isLong = length > SHOWN_MATCH_BYTES;
  const upTo = isLong ? at + SHOWN_MATCH_BYTES : Math.min(lineEnd, end + CONTEXT_BYTES);
  const to = characterStart(bytes, upTo);
  const shown = decode(bytes.subarray(from, to)).replace(/\r$/, "").replaceAll(/\r?\n/g, "↵");
  return `${from > lineStart ? "…" : ""}${shown}${to < lineEnd ? "…" : ""}`;
}
