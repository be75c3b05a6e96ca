import type { InspectErrorCode } from "../../src/inspect/inspect-error.js";
import type { Selector, SelectorStep } from "../../src/inspect/selector.js";

/** A blob, or a value in it, whole in memory. */
export interface NaiveView {
  readonly kind: "text" | "ndjson" | "string" | "array" | "object" | "scalar";
  readonly bytes: Buffer;
}

/** What a selector leaves of a view. */
export type NaiveAnswer =
  | { readonly type: "error"; readonly code: InspectErrorCode }
  | { readonly type: "bytes"; readonly bytes: Buffer }
  | { readonly type: "entries"; readonly entries: readonly string[] }
  | { readonly type: "places"; readonly offsets: readonly number[] };

interface Span {
  readonly start: number;
  readonly end: number;
}

const SPACES: readonly (number | undefined)[] = [0x20, 0x0a, 0x0d, 0x09];
const LINE_FEED = 0x0a;

/** What `readBlob` shows from the first answer to the last: found without index, ranges and pages. */
export function inspectNaively(blob: NaiveView, selector: Selector): NaiveAnswer {
  let view = blob;
  let scope: Span | undefined;
  for (const [position, step] of selector.entries()) {
    const within = scope ?? { start: 0, end: view.bytes.length };
    if (step.type === "find") {
      return { type: "places", offsets: occurrences(view.bytes, within, step.text) };
    }
    if (step.type === "lines" || step.type === "bytes") {
      const found = step.type === "lines" ? linesOf(view, step) : bytesOf(view, step);
      if (typeof found === "string") return { type: "error", code: found };
      const { start, end } = found;
      scope = { start: Math.max(within.start, start), end: Math.min(within.end, end) };
      if (scope.start >= scope.end) return { type: "error", code: "out_of_range" };
      continue;
    }
    const next = scope === undefined ? stepInto(view, step) : "wrong_kind";
    if (typeof next === "string") return { type: "error", code: next };
    if (step.type === "slice" && position === selector.length - 1) {
      const entries = entriesOf(view)?.slice(step.start, step.end) ?? [];
      const texts = entries.map(({ start, end }) => view.bytes.toString("utf8", start, end));
      return { type: "entries", entries: texts };
    }
    view = next;
  }
  const { start, end } = scope ?? { start: 0, end: view.bytes.length };
  return { type: "bytes", bytes: view.bytes.subarray(start, end) };
}

/** The member or the entries that a step leads to, or why there is nothing. */
export function stepInto(
  view: NaiveView,
  step: Extract<SelectorStep, { type: "key" | "slice" }>,
): NaiveView | InspectErrorCode {
  if (step.type === "key") {
    if (view.kind !== "object") return "wrong_kind";
    const member = membersOf(view).findLast(({ key }) => key === step.name);
    return member === undefined
      ? "missing_key"
      : viewOf(view.bytes.subarray(member.start, member.end));
  }
  const entries = entriesOf(view);
  if (entries === undefined) return "wrong_kind";
  if (step.end !== undefined && step.end <= step.start) return "bad_selector";
  const chosen = entries.slice(step.start, step.end);
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return "out_of_range";
  const body = view.bytes.subarray(first.start, last.end);
  if (step.end === step.start + 1) return viewOf(body);
  if (view.kind === "ndjson") return { kind: "ndjson", bytes: body };
  return {
    kind: "array",
    bytes: Buffer.concat([Buffer.from("["), body, Buffer.from("]")]),
  };
}

/** The value that bytes are, without white space around. */
export function viewOf(bytes: Buffer): NaiveView {
  switch (bytes[0]) {
    case 0x5b:
      return { kind: "array", bytes };
    case 0x7b:
      return { kind: "object", bytes };
    case 0x22: {
      const text = JSON.parse(bytes.toString()) as string; // a string literal
      return { kind: "string", bytes: Buffer.from(text.toWellFormed()) };
    }
    default:
      return { kind: "scalar", bytes };
  }
}

/** The entries of an array or of NDJSON; `undefined` for anything else. */
export function entriesOf({ kind, bytes }: NaiveView): readonly Span[] | undefined {
  if (kind === "array") return partsOf(bytes);
  if (kind !== "ndjson") return undefined;
  return lineSpans(bytes)
    .map(({ start, end }) => trimmed(bytes, start, end))
    .filter(({ start, end }) => start < end);
}

/** The members of an object, with the bytes of their values. */
export function membersOf({ bytes }: NaiveView): readonly (Span & { readonly key: string })[] {
  const parts = partsOf(bytes);
  return parts.flatMap((value, position) => {
    const key = parts[position - 1];
    if (position % 2 === 0 || key === undefined) return [];
    return [{ ...value, key: JSON.parse(bytes.toString("utf8", key.start, key.end)) as string }];
  });
}

/** The values in an array, or the keys and values in an object. */
function partsOf(bytes: Buffer): readonly Span[] {
  const parts: Span[] = [];
  for (let at = bytes.findIndex((byte) => byte === 0x5b || byte === 0x7b) + 1; ;) {
    const byte = bytes[at];
    if (byte === undefined || byte === 0x5d || byte === 0x7d) return parts;
    if (SPACES.includes(byte) || byte === 0x2c || byte === 0x3a) at++;
    else {
      const end = endOfValue(bytes, at);
      parts.push({ start: at, end });
      at = end;
    }
  }
}

function endOfValue(bytes: Buffer, start: number): number {
  const literal = /"(?:[^"\\]|\\[^])*"|[^[\]{},:"\s]+|[[\]{}]|[^]/y;
  const text = bytes.toString("latin1");
  literal.lastIndex = start;
  for (let depth = 0; ;) {
    const token = literal.exec(text)?.[0] ?? "]";
    if (token === "[" || token === "{") depth++;
    if (token === "]" || token === "}") depth--;
    if (depth <= 0) return literal.lastIndex;
  }
}

/** Lines, each with its end. */
export function lineSpans(bytes: Buffer): readonly Span[] {
  const lines: Span[] = [];
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    lines.push({ start, end });
    start = end;
  }
  return lines;
}

function linesOf(
  { kind, bytes }: NaiveView,
  { first, last = Infinity }: Extract<SelectorStep, { type: "lines" }>,
): Span | InspectErrorCode {
  if (kind !== "text" && kind !== "ndjson" && kind !== "string") return "wrong_kind";
  if (first >= 1 && last < first) return "bad_selector";
  const chosen = first < 1 ? [] : lineSpans(bytes).slice(first - 1, last);
  const [begin, end] = [chosen[0], chosen.at(-1)];
  if (begin === undefined || end === undefined) return "out_of_range";
  return { start: begin.start, end: end.end };
}

function bytesOf(
  { bytes }: NaiveView,
  { start, end = Infinity }: Extract<SelectorStep, { type: "bytes" }>,
): Span | InspectErrorCode {
  if (end <= start) return "bad_selector";
  if (start >= bytes.length) return "out_of_range";
  const from = characterStart(bytes, start);
  let to = Math.min(end, bytes.length);
  while (characterStart(bytes, to) <= from) to++;
  return { start: from, end: characterStart(bytes, to) };
}

function characterStart(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

function occurrences(bytes: Buffer, { start, end }: Span, text: string): readonly number[] {
  const offsets: number[] = [];
  const needle = Buffer.from(text);
  let at = bytes.indexOf(needle, start);
  for (; at !== -1 && at + needle.length <= end; at = bytes.indexOf(needle, at + needle.length)) {
    offsets.push(at);
  }
  return offsets;
}

function trimmed(bytes: Buffer, from: number, to: number): Span {
  let [start, end] = [from, to];
  while (start < end && SPACES.includes(bytes[start])) start++;
  while (end > start && SPACES.includes(bytes[end - 1])) end--;
  return { start, end };
}
