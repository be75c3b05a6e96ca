import { isContinuation } from "../blob/bytes.js";
import { boundaryAtOrAfter, boundaryAtOrBefore } from "./grapheme.js";

/** Marks every place where something was left out. */
export const ELLIPSIS = "…";

const ELLIPSIS_BYTES = 3;

/** The longest beginning of `text` that has at most `maxBytes` UTF-8 bytes and breaks no character. */
export function takeHead(text: string, maxBytes: number): string {
  const index = headUnits(text, maxBytes);
  return index === text.length ? text : text.slice(0, boundaryAtOrBefore(text, index));
}

/** The longest end of `text` that has at most `maxBytes` UTF-8 bytes and breaks no character. */
export function takeTail(text: string, maxBytes: number): string {
  const index = text.length - tailUnits(text, maxBytes);
  return index === 0 ? text : text.slice(boundaryAtOrAfter(text, index));
}

/**
 * `text` if it has at most `maxBytes` UTF-8 bytes, else its beginning and `…`, together within
 * `maxBytes`. Empty where not even the mark fits.
 */
export function cutEnd(text: string, maxBytes: number): string {
  if (fitsBytes(text, maxBytes)) return text;
  return maxBytes < ELLIPSIS_BYTES ? "" : takeHead(text, maxBytes - ELLIPSIS_BYTES) + ELLIPSIS;
}

/** As {@link cutEnd}, but keeps the end of `text` and puts the `…` in front. */
export function cutStart(text: string, maxBytes: number): string {
  if (fitsBytes(text, maxBytes)) return text;
  return maxBytes < ELLIPSIS_BYTES ? "" : ELLIPSIS + takeTail(text, maxBytes - ELLIPSIS_BYTES);
}

/** Whether `text` has at most `maxBytes` UTF-8 bytes; counts them only where its length leaves it open. */
export function fitsBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return false;
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}

/**
 * Shares `totalBytes` out so that each gets what it wants or at least an equal part, and what one
 * does not need goes to the others.
 */
export function shareBytes(wants: readonly number[], totalBytes: number): number[] {
  const shares = wants.map(() => 0);
  const byWant = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  let left = Math.max(0, totalBytes);
  for (const [position, { want, index }] of byWant.entries()) {
    const share = Math.min(want, Math.floor(left / (byWant.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

// A UTF-16 unit takes a byte at least, so more units than bytes need not be looked at. Where that cuts
// a pair in two, its half does not fit any more.
function headUnits(text: string, maxBytes: number): number {
  const byteCount = Math.max(0, maxBytes);
  return new TextEncoder().encodeInto(text.slice(0, byteCount), Buffer.allocUnsafe(byteCount)).read;
}

function tailUnits(text: string, maxBytes: number): number {
  const byteCount = Math.max(0, maxBytes);
  const bytes = Buffer.from(text.slice(Math.max(0, text.length - byteCount)));
  let start = Math.max(0, bytes.length - byteCount);
  while (isContinuation(bytes[start])) start += 1;
  return bytes.toString("utf8", start).length;
}
