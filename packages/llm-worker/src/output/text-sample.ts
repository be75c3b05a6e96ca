import { asBuffer, isContinuation } from "../blob/bytes.js";
import { boundaryAtOrAfter, boundaryAtOrBefore } from "./grapheme.js";
import { utf8Pieces } from "./utf8-pieces.js";

/**
 * The two ends of a text, of which only a bounded part is held. `head` and `tail` never overlap;
 * with `isWhole` all of the text is in `head` and `tail` is empty.
 */
export interface TextSample {
  readonly head: string;
  readonly tail: string;
  readonly isWhole: boolean;
}

/** Beyond the wanted bytes: what a cut needs to see to be sure not to break a character. */
const SLACK = 1024;

/** Both ends of a string, each long enough to fill `maxBytes`. Copies nothing. */
export function sampleText(text: string, maxBytes: number): TextSample {
  const units = maxBytes + SLACK;
  if (text.length <= 2 * units) return { head: text, tail: "", isWhole: true };
  return {
    head: text.slice(0, boundaryAtOrBefore(text, units)),
    tail: text.slice(boundaryAtOrAfter(text, text.length - units)),
    isWhole: false,
  };
}

/** Both ends of UTF-8 bytes, decoded. What is not valid UTF-8 is shown as U+FFFD. */
export function sampleBytes(bytes: Uint8Array, maxBytes: number): TextSample {
  const count = maxBytes + SLACK;
  if (bytes.length <= 2 * count)
    return { head: decodeHead(bytes, "whole"), tail: "", isWhole: true };
  return sampleWindows(bytes.subarray(0, count), bytes.subarray(-count));
}

/** The sample of which `head` and `tail` are the first and last bytes, with others between them. */
export function sampleWindows(head: Uint8Array, tail: Uint8Array): TextSample {
  return { head: decodeHead(head, "cut"), tail: decodeTail(tail), isWhole: false };
}

/** Lines as an editor shows them: `\n` and `\r\n` end a line, a final one opens no new line. */
export function countLines(text: string): number {
  return linesOf(newlinesIn(text), text);
}

/** The UTF-8 bytes and the lines of a well-formed text, in one pass. */
export function sizesOf(text: string): { readonly byteCount: number; readonly lineCount: number } {
  let byteCount = 0;
  let newlines = 0;
  for (const piece of utf8Pieces(text)) {
    byteCount += piece.bytes.length;
    newlines += newlinesIn(piece.text);
  }
  return { byteCount, lineCount: linesOf(newlines, text) };
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function linesOf(newlines: number, text: string): number {
  return text === "" || text.endsWith("\n") ? newlines : newlines + 1;
}

/** How many `\n` there are in `bytes`. */
export function countNewlines(bytes: Uint8Array): number {
  const buffer = asBuffer(bytes);
  let count = 0;
  for (let at = buffer.indexOf(NEWLINE); at !== -1; at = buffer.indexOf(NEWLINE, at + 1))
    count += 1;
  return count;
}

export const NEWLINE = 0x0a;

/** Decodes the beginning of a text; a character that `cut` bytes end in is left out. */
export function decodeHead(bytes: Uint8Array, extent: "whole" | "cut"): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: extent === "cut" });
}

function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start));
}
