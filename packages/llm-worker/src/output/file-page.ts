import { isUtf8 } from "node:buffer";
import { MAX_INVALID_SHARE } from "../blob/index-builder.js";
import { Utf8Scanner } from "../blob/utf8-scanner.js";
import { isContinuation } from "../blob/bytes.js";
import { takeHead } from "./cut.js";
import { decodeHead, NEWLINE } from "./text-sample.js";

/** Bytes behind the longest page that {@link cutPage} looks at so as not to cut a character. */
export const PAGE_LOOKAHEAD_BYTES = 2048;

/** How a page is shown: as it is, with U+FFFD for what is not UTF-8, or in hexadecimal. */
export type PageForm = "text" | "replaced" | "hexadecimal";

export interface Page {
  /** The bytes that are shown, exactly. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly form: PageForm;
}

export interface PageLimits {
  /** For `text`, in UTF-8. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** The window reaches to the end of the file. */
  readonly isLast: boolean;
}

/**
 * The first part of the bytes that fits the limits and is not empty. It ends with a line if that leaves
 * it half as long as it may be, else between two characters.
 *
 * @param window holds {@link PAGE_LOOKAHEAD_BYTES} beyond `maxBytes`, if there are
 */
export function cutPage(window: Buffer, { maxBytes, maxLines, isLast }: PageLimits): Page {
  const form = formOf(window, isLast);
  // What takes the place of a byte has three at most.
  const room = form === "text" ? maxBytes : Math.floor(maxBytes / 3);
  const bytes = window.subarray(0, pageEnd(window, { form, room, maxLines, isLast }));
  if (form === "hexadecimal") return { bytes, text: hexadecimal(bytes), form };
  return { bytes, text: decodeHead(bytes, "whole"), form: isUtf8(bytes) ? "text" : form };
}

/** How many line ends there are. */
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function formOf(window: Buffer, isLast: boolean): PageForm {
  const scanner = new Utf8Scanner();
  scanner.write(window);
  if (isLast) scanner.end();
  const { invalidByteCount } = scanner;
  if (window.includes(0) || invalidByteCount > window.length * MAX_INVALID_SHARE) {
    return "hexadecimal";
  }
  return invalidByteCount === 0 ? "text" : "replaced";
}

interface PageRoom extends Omit<PageLimits, "maxBytes"> {
  readonly form: PageForm;
  readonly room: number;
}

function pageEnd(window: Buffer, { form, room, maxLines, isLast }: PageRoom): number {
  const lastLine = endOfLine(window.subarray(0, room), maxLines);
  if (lastLine !== undefined) return lastLine;
  if (isLast && window.length <= room) return window.length;
  const lineEnd = window.lastIndexOf(NEWLINE, room - 1) + 1;
  if (lineEnd >= room / 2) return lineEnd;
  const characters = form === "text" ? takeHead(decodeHead(window, "cut"), room) : "";
  return characters === "" ? characterStart(window, room) : Buffer.byteLength(characters);
}

/** Where the line after `count` lines begins, if all of them are there. */
function endOfLine(bytes: Buffer, count: number): number | undefined {
  let end = 0;
  for (let line = 0; line < count; line += 1) {
    const feed = bytes.indexOf(NEWLINE, end);
    if (feed === -1) return undefined;
    end = feed + 1;
  }
  return end;
}

/** `at`, or up to three bytes before it, where the character begins that it lies in. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 3 && isContinuation(bytes[start])) start -= 1;
  return isContinuation(bytes[start]) ? at : start;
}

const HEX_ROW_BYTES = 32;

function hexadecimal(bytes: Buffer): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_ROW_BYTES) {
    rows.push(bytes.toString("hex", at, Math.min(bytes.length, at + HEX_ROW_BYTES)));
  }
  return rows.join("\n");
}
