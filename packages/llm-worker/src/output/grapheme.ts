/** A cluster longer than this is cut between code points: it is noise, and looking is bounded. */
const MAX_CLUSTER_UNITS = 512;
/** How far a run of flags is counted back to find out which two halves belong together. */
const MAX_FLAG_RUN_UNITS = 65_536;

let segmenter: Intl.Segmenter | undefined;

/**
 * The last place at or before `index` where `text` can be cut without breaking what a reader sees
 * as one character: surrogate pairs, combining marks, joined emoji, flags, `\r\n`.
 */
export function boundaryAtOrBefore(text: string, index: number): number {
  return clusterAround(text, index)?.start ?? index;
}

/** The first such place at or after `index`. */
export function boundaryAtOrAfter(text: string, index: number): number {
  return clusterAround(text, index)?.end ?? index;
}

/** Whether a surrogate pair begins at `index`. */
export function isPairAt(text: string, index: number): boolean {
  return isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1));
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The cluster that `index` would cut in two, or `undefined` where `index` is a boundary. */
function clusterAround(text: string, index: number): { start: number; end: number } | undefined {
  if (index <= 0 || index >= text.length || isBetweenPlain(text, index)) return undefined;
  const window = windowAround(text, index);
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const found = segmenter.segment(window.text).containing(index - window.start);
  if (found === undefined) return undefined;
  const start = window.start + found.index;
  const end = start + found.segment.length;
  if (start === index) return undefined;
  const isStartKnown = window.isStartBoundary || found.index > 0;
  const isEndKnown = end < window.end || end === text.length;
  return isStartKnown && isEndKnown ? { start, end } : pairAround(text, index);
}

function pairAround(text: string, index: number): { start: number; end: number } | undefined {
  return isPairAt(text, index - 1) ? { start: index - 1, end: index + 1 } : undefined;
}

interface Window {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isStartBoundary: boolean;
}

function windowAround(text: string, index: number): Window {
  const earliest = Math.max(0, index - MAX_CLUSTER_UNITS);
  let start = index;
  while (start > earliest && !isBetweenPlain(text, start)) start -= 1;
  const isStartBoundary = start === 0 || isBetweenPlain(text, start);
  if (!isStartBoundary) start = startOfFlag(text, isPairAt(text, start - 1) ? start - 1 : start);
  const end = Math.min(text.length, index + MAX_CLUSTER_UNITS);
  return { text: text.slice(start, end), start, end, isStartBoundary };
}

/** Flags are pairs counted from the start of their run, so a window must not begin on a second half. */
function startOfFlag(text: string, start: number): number {
  if (!isRegionalIndicatorAt(text, start)) return start;
  const earliest = Math.max(0, start - MAX_FLAG_RUN_UNITS);
  let runStart = start;
  while (runStart - 2 >= earliest && isRegionalIndicatorAt(text, runStart - 2)) runStart -= 2;
  return ((start - runStart) / 2) % 2 === 0 ? start : start - 2;
}

function isRegionalIndicatorAt(text: string, index: number): boolean {
  const low = text.charCodeAt(index + 1);
  return text.charCodeAt(index) === 0xd83c && low >= 0xdde6 && low <= 0xddff;
}

function isBetweenPlain(text: string, index: number): boolean {
  return isPlain(text.charCodeAt(index - 1)) && isPlain(text.charCodeAt(index));
}

/** Characters that never join with another of their sort: most cuts need no segmenter. */
function isPlain(unit: number): boolean {
  return (
    (unit >= 0x20 && unit <= 0x7e) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa)
  );
}
