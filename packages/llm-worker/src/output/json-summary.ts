import { cutEnd, ELLIPSIS, fitsBytes, shareBytes, takeHead } from "./cut.js";
import { type JsonEntry, type JsonScan, scanJson } from "./json-scan.js";
import { BACKSLASH, QUOTE } from "./json-token.js";
import { HEAD_TITLE } from "./text-summary.js";

/** JSON text, or the beginning of one, and what a scan has found in it. */
export interface JsonSample {
  readonly raw: string;
  readonly scan: JsonScan;
}

const SCHEMA_TITLE = "\n── schema ──\n";
const KEYS_TITLE = "\n── keys ──\n";
/** How many elements the head of an array shows. */
const HEAD_ELEMENTS = 2;
/** A longer name is cut: one name must not use up the room of all. */
const MAX_NAME_BYTES = 64;
/** Fewest bytes that an entry of a key list takes, separator included. */
const MIN_ENTRY_BYTES = 6;

/** How many entries a scan has to describe so that a summary of `maxBytes` can be filled. */
export function entriesWorthScanning(maxBytes: number): number {
  return Math.ceil(maxBytes / MIN_ENTRY_BYTES) + HEAD_ELEMENTS;
}

/**
 * The sections `schema` (of the first element) and `head` of an array, at most `maxBytes` together,
 * beginning with a newline; empty where nothing fits or the array is empty.
 */
export function arraySections({ raw, scan }: JsonSample, maxBytes: number): string {
  const schema = schemaOf(raw, scan, maxBytes);
  const elements = scan.entries
    .slice(0, HEAD_ELEMENTS)
    .map((entry) => compactJson(raw, entry, maxBytes));
  if (schema === "" || elements.length === 0) return "";
  const schemaTitleBytes = Buffer.byteLength(SCHEMA_TITLE);
  const headTitleBytes = Buffer.byteLength(HEAD_TITLE);
  const head = elements.join("\n");
  const [schemaBytes = 0, headBytes = 0] = shareBytes(
    [schemaTitleBytes + Buffer.byteLength(schema), headTitleBytes + Buffer.byteLength(head)],
    maxBytes,
  );
  const fields = schemaOf(raw, scan, schemaBytes - schemaTitleBytes);
  const shown = sharedLines(elements, headBytes - headTitleBytes);
  return (fields === "" ? "" : SCHEMA_TITLE + fields) + (shown === "" ? "" : HEAD_TITLE + shown);
}

/**
 * The section `keys` of an object of `keyCount` members, at most `maxBytes`, beginning with a
 * newline; empty where nothing fits or the object is empty.
 */
export function objectSections(sample: JsonSample, keyCount: number, maxBytes: number): string {
  const room = maxBytes - Buffer.byteLength(KEYS_TITLE);
  const keys = entryList(sample.scan.entries, keyCount, room, describeMember);
  return keys === "" ? "" : KEYS_TITLE + keys;
}

/** `id: number, n: string` for objects; the types, such as `number | null`, for anything else. */
function schemaOf(raw: string, scan: JsonScan, maxBytes: number): string {
  const [first] = scan.entries;
  if (first === undefined) return "";
  if (scan.types.length > 1 || first.type !== "object")
    return cutEnd(scan.types.join(" | "), maxBytes);
  const extent = first.isComplete ? "whole" : "prefix";
  const text = raw.slice(first.start, first.end);
  const fields = scanJson(text, entriesWorthScanning(maxBytes), extent);
  if (fields === undefined || fields.count === 0) return cutEnd("object", maxBytes);
  const total = first.isComplete ? fields.count : undefined;
  return entryList(fields.entries, total, maxBytes, (entry) => `${nameOf(entry)}: ${entry.type}`);
}

/** As many entries as fit, and `… +n more` for the others; just `…` where their number is unknown. */
function entryList(
  entries: readonly JsonEntry[],
  total: number | undefined,
  maxBytes: number,
  describe: (entry: JsonEntry) => string,
): string {
  const restAfter = (shown: number): string => {
    if (shown === total) return "";
    return total === undefined ? ELLIPSIS : `${ELLIPSIS} +${String(total - shown)} more`;
  };
  const all = entries.map(describe);
  if (entries.length === total && fitsBytes(all.join(", "), maxBytes)) return all.join(", ");
  const separator = (rest: string): string => (rest === "" ? "" : `, ${rest}`);
  let list = "";
  let shown = 0;
  for (const entry of all) {
    const longer = shown === 0 ? entry : `${list}, ${entry}`;
    if (!fitsBytes(longer + separator(restAfter(shown + 1)), maxBytes)) break;
    list = longer;
    shown += 1;
  }
  const rest = restAfter(shown);
  if (shown === 0) return fitsBytes(rest, maxBytes) ? rest : "";
  return list + separator(rest);
}

function describeMember(entry: JsonEntry): string {
  const { type, size, isComplete } = entry;
  if (size === undefined) return `${nameOf(entry)}: ${type}`;
  return `${nameOf(entry)}: ${type}(${String(size)}${isComplete ? "" : "+"})`;
}

/** Names that could be misread in a list are quoted as in JSON. */
function nameOf(entry: JsonEntry): string {
  const name = entry.key ?? "";
  const isCut = !fitsBytes(name, MAX_NAME_BYTES);
  const shown = isCut ? takeHead(name, MAX_NAME_BYTES) : name;
  const quoted = PLAIN_NAME.test(shown) ? shown : JSON.stringify(shown);
  return isCut ? quoted + ELLIPSIS : quoted;
}

const PLAIN_NAME = /^[\p{L}\p{N}_$@./-]+$/u;

function sharedLines(lines: readonly string[], maxBytes: number): string {
  const newlines = lines.length - 1;
  const shares = shareBytes(
    lines.map((line) => Buffer.byteLength(line)),
    maxBytes - newlines,
  );
  const shown = lines.map((line, index) => cutEnd(line, shares[index] ?? 0));
  return shown.filter((line) => line !== "" && line !== ELLIPSIS).join("\n");
}

/** The JSON text of a value without white space between tokens, as far as it can be shown. */
function compactJson(raw: string, { start, end, isComplete }: JsonEntry, maxBytes: number): string {
  let compact = "";
  let at = start;
  while (at < end && compact.length <= maxBytes) {
    // One piece more than can be shown is enough; a piece that is cut short is the last.
    const stop = Math.min(end, at + maxBytes + 1);
    const isString = raw.charCodeAt(at) === QUOTE;
    const pieceEnd = isString ? endOfString(raw, at, stop) : endOfOthers(raw, at, stop);
    const piece = raw.slice(at, pieceEnd);
    compact += isString ? piece : piece.replaceAll(/[ \t\r\n]+/g, "");
    at = pieceEnd;
  }
  return at < end || !isComplete ? compact + ELLIPSIS : compact;
}

function endOfString(raw: string, start: number, stop: number): number {
  for (let at = start + 1; at < stop; at += raw.charCodeAt(at) === BACKSLASH ? 2 : 1) {
    if (raw.charCodeAt(at) === QUOTE) return at + 1;
  }
  return stop;
}

function endOfOthers(raw: string, start: number, stop: number): number {
  let at = start;
  while (at < stop && raw.charCodeAt(at) !== QUOTE) at += 1;
  return at;
}
