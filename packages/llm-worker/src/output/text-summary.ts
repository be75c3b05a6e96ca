import { cutEnd, cutStart, ELLIPSIS, fitsBytes, shareBytes } from "./cut.js";
import type { OutputLimits } from "./output-limits.js";
import type { TextSample } from "./text-sample.js";

export const HEAD_TITLE = "\n── head ──\n";
export const TAIL_TITLE = "\n── tail ──\n";

const TITLE_BYTES = Buffer.byteLength(HEAD_TITLE);

/** How many lines each end may show. */
export type LineLimits = Pick<OutputLimits, "headLines" | "tailLines">;

/**
 * The sections `head` and `tail` of a text, at most `maxBytes` together, beginning with a newline;
 * empty where nothing fits. Line ends are shown as `\n`; nothing else of the text is changed.
 */
export function textSections(sample: TextSample, limits: LineLimits, maxBytes: number): string {
  const { head, tail, isAll } = sample.isWhole
    ? endsOfWhole(sample.head, limits, maxBytes)
    : { ...endsOfParts(sample, limits), isAll: false };
  if (isAll || isBlank(tail)) return section(HEAD_TITLE, cutEnd, head, maxBytes);
  if (isBlank(head)) return section(TAIL_TITLE, cutStart, tail, maxBytes);
  const [headBytes = 0, tailBytes = 0] = shareBytes(
    [TITLE_BYTES + Buffer.byteLength(head), TITLE_BYTES + Buffer.byteLength(tail)],
    maxBytes,
  );
  return (
    section(HEAD_TITLE, cutEnd, head, headBytes) + section(TAIL_TITLE, cutStart, tail, tailBytes)
  );
}

interface Ends {
  readonly head: string;
  readonly tail: string;
}

/**
 * Where the head would take all lines but does not fit, both ends of those lines are shown. They
 * cannot overlap: together they get fewer bytes than the lines have.
 */
function endsOfWhole(
  text: string,
  limits: LineLimits,
  maxBytes: number,
): Ends & { readonly isAll: boolean } {
  const lines = withoutFinalNewline(normalised(text));
  const head = firstLines(lines, limits.headLines);
  if (head.length === lines.length) {
    const isAll = fitsBytes(lines, maxBytes - TITLE_BYTES) || limits.tailLines === 0;
    return { head, tail: lastLines(lines, limits.tailLines), isAll };
  }
  const rest = limits.headLines === 0 ? lines : lines.slice(head.length + 1);
  return { head, tail: lastLines(rest, limits.tailLines), isAll: false };
}

/** A window that ends within the lines to show is a cut, and is marked as one. */
function endsOfParts(sample: TextSample, limits: LineLimits): Ends {
  const headWindow = normalised(sample.head);
  const tailWindow = withoutFinalNewline(normalised(sample.tail));
  const head = firstLines(headWindow, limits.headLines);
  const tail = lastLines(tailWindow, limits.tailLines);
  return {
    head: limits.headLines > 0 && head.length === headWindow.length ? head + ELLIPSIS : head,
    tail: limits.tailLines > 0 && tail.length === tailWindow.length ? ELLIPSIS + tail : tail,
  };
}

function section(
  title: string,
  cut: (text: string, maxBytes: number) => string,
  text: string,
  maxBytes: number,
): string {
  if (isBlank(text)) return "";
  const shown = cut(text, maxBytes - TITLE_BYTES);
  return shown === "" || shown === ELLIPSIS ? "" : title + shown;
}

/** The first `count` lines, without the newline that ends the last of them. */
function firstLines(text: string, count: number): string {
  if (count === 0) return "";
  let end = -1;
  for (let line = 0; line < count; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}

function lastLines(text: string, count: number): string {
  if (count === 0) return "";
  let start = text.length;
  for (let line = 0; line < count; line += 1) {
    if (start === 0) return text;
    start = text.lastIndexOf("\n", start - 1);
    if (start === -1) return text;
  }
  return text.slice(start + 1);
}

function normalised(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function withoutFinalNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Nothing but line ends: a section of it would look empty. */
function isBlank(text: string): boolean {
  return /^\n*$/.test(text);
}
