import { CUT_LOOKAHEAD_BYTES, cutText, decode } from "./characters.js";
import type { InspectError, InspectErrorCode } from "./inspect-error.js";
import { printSelector, type Selector } from "./selector.js";
import type { ViewKind } from "./view.js";

/** Answers are at most this long, unless told otherwise. */
export const DEFAULT_MAX_ANSWER_BYTES = 16_384;
/** A smaller limit would leave no room beside the header. */
export const MIN_ANSWER_BYTES = 1024;

/** What `readBlob` found. `text` is for the model; the rest is the same for programs. */
export interface BlobAnswer {
  /** The header line, a line end, and the payload to the end. At most `maxAnswerBytes` in UTF-8. */
  readonly text: string;
  /** First line of `text`: what is shown, out of how much, and `complete` or `next: <selector>`. */
  readonly header: string;
  /**
   * The bytes that are shown, exactly. `text` has them in readable form: U+FFFD for what is not
   * UTF-8, hexadecimal for binary. Empty for an error.
   */
  readonly payload: Uint8Array;
  /** The selector for what comes next. Absent: all that was asked for is shown. */
  readonly next?: string | undefined;
  readonly isError: boolean;
  readonly code?: InspectErrorCode | undefined;
  /** What the store threw, for logs; never part of `text`. */
  readonly cause?: unknown;
}

/** One part of a blob, ready to be put under a header. */
export interface Part {
  readonly kind: ViewKind;
  /** Fields of the header, between the kind and `complete` or `next:`. */
  readonly facts: readonly string[];
  readonly payload: Uint8Array;
  /** `payload` as the model sees it. */
  readonly text: string;
  readonly next?: Selector | undefined;
}

/** How much a part may hold, in bytes as the model sees them. */
export interface PartLimits {
  readonly maxBytes: number;
  /** A part that is not the last holds at least this much, even if that cuts a line. */
  readonly minBytes: number;
}

// Kind, facts and marks of a header with a step of `next:`, all numbers at their longest: 16 digits.
const HEADER_FACTS_BYTES = 320;
const SLICE_BYTES = "slice: | ".length + 2 * 16 + "..".length;

/**
 * What `next:` repeats of a selector takes at most so many bytes. It is the same of what was asked for
 * and of all that follows it.
 */
export function repeatedBytes(selector: Selector): number {
  const named = selector.filter(({ type }) => type === "key" || type === "find");
  const sliceCount = selector.filter(({ type }) => type === "slice").length;
  return Buffer.byteLength(printSelector(named)) + sliceCount * SLICE_BYTES;
}

/** What an answer leaves for the payload. `selector` is what was asked for. */
export function partLimits(id: string, selector: Selector, maxAnswerBytes: number): PartLimits {
  const header = Buffer.byteLength(id) + repeatedBytes(selector) + HEADER_FACTS_BYTES;
  const maxBytes = maxAnswerBytes - header;
  return { maxBytes, minBytes: Math.min(maxBytes, Math.ceil(maxAnswerBytes / 2)) };
}

/** Puts the header over a part. */
export function partAnswer(id: string, part: Part): BlobAnswer {
  const next = part.next === undefined ? undefined : printSelector(part.next);
  const state = next === undefined ? "complete" : `next: ${next}`;
  const header = [`[blob:${id}] ${part.kind}`, ...part.facts, state].join(" | ");
  // A copy: what was read is more than what is shown, and would be kept with it.
  const payload = new Uint8Array(part.payload);
  return { text: `${header}\n${part.text}`, header, payload, next, isError: false };
}

/** Tells the model what went wrong, within the limit. */
export function errorAnswer(error: InspectError, maxAnswerBytes: number): BlobAnswer {
  const text = shorten(`inspect error (${error.code}): ${error.message}`, maxAnswerBytes);
  const header = text.split("\n", 1)[0] ?? text;
  return {
    text,
    header,
    payload: new Uint8Array(),
    isError: true,
    code: error.code,
    cause: error.cause,
  };
}

/** At most `maxBytes` of a text in UTF-8; what is cut off shows as `…`. */
export function shorten(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const limit = maxBytes - Buffer.byteLength("…");
  const end = cutText(bytes.subarray(0, limit + CUT_LOOKAHEAD_BYTES), limit, Infinity);
  return `${decode(bytes.subarray(0, end))}…`;
}
