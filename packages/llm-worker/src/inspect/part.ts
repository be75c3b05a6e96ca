import type { BlobReader } from "../blob/blob-store.js";
import { lineAt } from "../blob/line-ranges.js";
import type { Part, PartLimits } from "./answer.js";
import { countLineFeeds, CUT_LOOKAHEAD_BYTES, cutText, decode } from "./characters.js";
import { hexDump } from "./hex.js";
import type { SelectorStep } from "./selector.js";
import { counted, isNdjson, isText, type Scope, type View } from "./view.js";

const LINE_FEED = 0x0a;

/** Shows a scope from its beginning, as far as the limits go. */
export async function showPart(view: View, scope: Scope, limits: PartLimits): Promise<Part> {
  if (view.kind === "binary") return showBinary(view, scope, limits);
  const shown = await readText(view.reader, scope, limits);
  return isText(view.kind) ? showText(view, scope, shown) : showJson(view, scope, shown);
}

interface ShownText {
  readonly payload: Uint8Array;
  readonly text: string;
  /** The byte after `payload`. */
  readonly end: number;
}

async function readText(
  reader: BlobReader,
  scope: Scope,
  { maxBytes, minBytes }: PartLimits,
): Promise<ShownText> {
  const { start, end } = scope;
  const bytes = await reader.read(start, Math.min(end, start + maxBytes + CUT_LOOKAHEAD_BYTES));
  let limit = Math.min(maxBytes, bytes.length);
  for (;;) {
    const length = limit === bytes.length ? limit : cutText(bytes, limit, minBytes);
    const payload = bytes.subarray(0, length);
    const text = decode(payload);
    const size = Buffer.byteLength(text);
    if (size <= maxBytes) return { payload, text, end: start + length };
    // Bytes that are not UTF-8 become longer.
    limit = Math.floor((length * maxBytes) / size);
  }
}

async function showText(view: View, scope: Scope, shown: ShownText): Promise<Part> {
  const { stat } = view.reader;
  const { payload, text, end } = shown;
  const firstLine = scope.firstLine ?? (await lineAt(view.reader, scope.start)) + 1;
  const linesEnded = countLineFeeds(payload);
  const endsLine = end === stat.byteCount || payload.at(-1) === LINE_FEED;
  const lastLine = firstLine + linesEnded - (payload.at(-1) === LINE_FEED ? 1 : 0);
  const isWhole = endsLine && (await beginsLine(view.reader, scope));
  const lines =
    payload.length === 0
      ? "lines 0-0 of 0"
      : `${isWhole ? "" : "part of "}lines ${firstLine}-${lastLine} of ${stat.lineCount ?? "?"}`;
  const facts = [lines, ...byteFacts(view, scope.start, end)];
  if (isNdjson(view)) facts.push("ndjson");
  const part = { kind: view.kind, facts, payload, text };
  if (end >= scope.end) return part;

  const untilLine = scope.end === stat.byteCount ? stat.lineCount : scope.lastLine;
  const rest: SelectorStep =
    endsLine && untilLine !== undefined
      ? { type: "lines", first: lastLine + 1, last: untilLine }
      : { type: "bytes", start: end, end: scope.end };
  return { ...part, next: [...view.path, rest] };
}

async function beginsLine(reader: BlobReader, { start, firstLine }: Scope): Promise<boolean> {
  if (firstLine !== undefined || start === 0) return true;
  return (await reader.read(start - 1, start))[0] === LINE_FEED;
}

function showJson(view: View, scope: Scope, { payload, text, end }: ShownText): Part {
  const { entryCount, keyCount } = view.reader.stat;
  const sizes = [counted(entryCount, "entry", "entries"), counted(keyCount, "key", "keys")];
  const facts = [
    ...sizes.filter((size) => size !== undefined),
    ...byteFacts(view, scope.start, end),
  ];
  return { kind: view.kind, facts, payload, text, ...restInBytes(view, scope, end) };
}

async function showBinary(view: View, scope: Scope, { maxBytes }: PartLimits): Promise<Part> {
  // A row of the dump is longer than what it shows.
  const bytes = await view.reader.read(scope.start, Math.min(scope.end, scope.start + maxBytes));
  const dump = hexDump(bytes, scope.start, maxBytes);
  const end = scope.start + dump.byteCount;
  const facts = [...mediaTypeFact(view), ...byteFacts(view, scope.start, end)];
  const payload = bytes.subarray(0, dump.byteCount);
  return { kind: view.kind, facts, payload, text: dump.text, ...restInBytes(view, scope, end) };
}

function restInBytes(view: View, scope: Scope, end: number): Pick<Part, "next"> {
  if (end >= scope.end) return {};
  return { next: [...view.path, { type: "bytes", start: end, end: scope.end }] };
}

function byteFacts(view: View, start: number, end: number): string[] {
  const { byteCount, validUtf8 } = view.reader.stat;
  const facts = [`bytes ${start}-${end} of ${byteCount}`];
  if (validUtf8 === false) facts.push("not valid UTF-8");
  return facts;
}

// A media type comes from outside: one that would break the header is left out.
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/;

function mediaTypeFact(view: View): readonly string[] {
  const { mediaType } = view.reader.stat;
  return MEDIA_TYPE.test(mediaType) ? [mediaType] : [];
}
