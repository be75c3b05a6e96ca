import { boundaryAtOrAfter, boundaryAtOrBefore, isPairAt } from "./grapheme.js";

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

function headUnits(text: string, maxBytes: number): number {
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const isPair = isPairAt(text, index);
    bytes += isPair ? 4 : unitBytes(text.charCodeAt(index));
    if (bytes > maxBytes) return index;
    index += isPair ? 2 : 1;
  }
  return index;
}

function tailUnits(text: string, maxBytes: number): number {
  let bytes = 0;
  let index = text.length;
  while (index > 0) {
    const isPair = isPairAt(text, index - 2);
    bytes += isPair ? 4 : unitBytes(text.charCodeAt(index - 1));
    if (bytes > maxBytes) break;
    index -= isPair ? 2 : 1;
  }
  return text.length - index;
}

/** A lone surrogate counts as the U+FFFD that it is written as. */
function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}
