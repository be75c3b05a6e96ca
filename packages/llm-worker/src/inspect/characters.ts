import { asBuffer } from "../blob/bytes.js";

const LINE_FEED = 0x0a;
/** Longer clusters than this, and flags in longer rows, are cut between their code points. */
const CLUSTER_WINDOW_BYTES = 64;

/** Made at the first cut: making one takes about as long as loading this whole package. */
let clusters: Intl.Segmenter | undefined;

/** Bytes after a cut that {@link cutText} looks at to see whether a character goes on. */
export const CUT_LOOKAHEAD_BYTES: number = CLUSTER_WINDOW_BYTES;

/** Bytes before an offset that {@link characterStart} looks at. */
export const CHARACTER_LOOKBACK_BYTES = 3;

/** `at`, or the byte where the character begins that `at` lies within. Bytes that are not UTF-8 stand alone. */
export function characterStart(bytes: Uint8Array, at: number): number {
  if (!isContinuation(bytes[at])) return at;
  for (let back = 1; back <= CHARACTER_LOOKBACK_BYTES && back <= at; back++) {
    const byte = bytes[at - back];
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? at - back : at;
  }
  return at;
}

/**
 * How many bytes to show of a text that does not fit: at most `limit`, up to a line end if that
 * leaves at least `least`, else up to the end of what a reader sees as one character.
 *
 * @param bytes begins at a character; holds {@link CUT_LOOKAHEAD_BYTES} after `limit` if there are
 */
export function cutText(bytes: Uint8Array, limit: number, least: number): number {
  const lineEnd = bytes.lastIndexOf(LINE_FEED, limit - 1) + 1;
  if (lineEnd >= least && lineEnd > 0) return lineEnd;
  return clusterStart(bytes, characterStart(bytes, limit));
}

function clusterStart(bytes: Uint8Array, at: number): number {
  const start = characterStart(bytes, Math.max(0, at - CLUSTER_WINDOW_BYTES));
  const end = characterStart(bytes, Math.min(bytes.length, at + CLUSTER_WINDOW_BYTES));
  const around = bytes.subarray(start, end);
  const text = decode(around);
  // Replaced bytes have other sizes in the text: no positions can be told from it.
  if (Buffer.byteLength(text) !== around.length) return at;
  let boundary = start;
  let next = start;
  clusters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of clusters.segment(text)) {
    if (next > at) break;
    boundary = next;
    next += Buffer.byteLength(segment);
  }
  if (next <= at) boundary = next;
  return boundary > start ? boundary : at;
}

/** The text of bytes, as they are: a byte order mark stays, what is not UTF-8 becomes U+FFFD. */
export function decode(bytes: Uint8Array): string {
  return asBuffer(bytes).toString();
}

/** How many line feeds there are. */
export function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc2) return 1;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 1;
}
