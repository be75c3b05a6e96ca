import type { BlobReader } from "../blob/blob-store.js";
import { indexOfSlice, indexOfValue } from "../blob/nested-index.js";
import {
  arrayLength,
  arrayRange,
  type ByteSpan,
  elementRanges,
  type ElementRangesOptions,
  type JsonType,
  jsonTypeAt,
  memberKeys,
  lineEntryRanges,
  memberRange,
  wholeSpan,
} from "../blob/ranges.js";
import { InspectError } from "./inspect-error.js";
import { nearKeys } from "./near-keys.js";
import { createPartReader, type PartFacts, type PartFrame } from "./part-reader.js";
import { backwards, outOfRange, wrongKind } from "./scope.js";
import { printSelector, type Selector, type SelectorStep } from "./selector.js";
import { openStringReader } from "./string-reader.js";
import { describeView, isNdjson, type View } from "./view.js";

export type KeyStep = Extract<SelectorStep, { type: "key" }>;
export type SliceStep = Extract<SelectorStep, { type: "slice" }>;

/** The value of a member of an object. */
export async function openMember(view: View, step: KeyStep): Promise<View> {
  if (view.kind === "json_array" || isNdjson(view)) {
    throw wrongKind(view, step, "take one entry first, as slice:0..1 | key:NAME");
  }
  if (view.kind !== "json_object") throw wrongKind(view, step);
  const range = await memberRange(view.reader, wholeSpan(view.reader), step.name);
  if (range === undefined) throw await missingKey(view, step);
  return openValue(view, range, step);
}

/** The entry of a slice of one, or the slice as an array of its own. */
export async function openSlice(view: View, step: SliceStep): Promise<View> {
  checkSlice(view, step);
  const { reader } = view;
  const span = wholeSpan(reader);
  if (step.end === step.start + 1) {
    const [entry] = await entryRanges(view, step.start, step.end);
    if (entry === undefined) throw outOfRange(view, step, `there is no entry ${step.start}`);
    return openValue(view, entry, step);
  }
  const total = await countEntries(view);
  const end = Math.min(step.end ?? Infinity, total);
  const path = [...view.path, narrowed(step, end)];
  if (isNdjson(view)) return openLines(view, step.start, end, path);
  const range = await arrayRange(reader, span, step.start, end);
  if (range === undefined) throw outOfRange(view, step, `there are ${total} entries`);
  const { mediaType } = reader.stat;
  const index = indexOfSlice(reader, span, range, { from: step.start, to: end });
  const facts: PartFacts = { kind: "json_array", mediaType, entryCount: end - step.start, index };
  const part = createPartReader(reader, range, facts, brackets);
  return { kind: "json_array", reader: part, path };
}

/** The slice with the end that it has. One that is left with one entry does not become that entry. */
function narrowed(step: SliceStep, end: number): SliceStep {
  return end === step.start + 1 ? step : { ...step, end };
}

async function openLines(view: View, from: number, to: number, path: Selector): Promise<View> {
  const { reader } = view;
  const [first] = await entryRanges(view, from, from + 1);
  const [last] = await entryRanges(view, to - 1, to);
  if (first === undefined || last === undefined) {
    throw outOfRange(view, { type: "slice", start: from, end: to }, `there is no entry ${from}`);
  }
  const { mediaType, lineCount, entryCount } = reader.stat;
  const count = to - from;
  const facts: PartFacts = {
    kind: "text",
    mediaType,
    entryCount: count,
    lineCount: lineCount === entryCount ? count : undefined,
  };
  const part = createPartReader(reader, { start: first.start, end: last.end }, facts);
  return { kind: "text", reader: part, path };
}

/** The bytes of entries of an array, or of a text that has one on each line. */
export function entryRanges(
  view: View,
  from: number,
  to: number,
  options?: ElementRangesOptions,
): Promise<readonly ByteSpan[]> {
  const { reader } = view;
  return isNdjson(view)
    ? lineEntryRanges(reader, from, to, options)
    : elementRanges(reader, wholeSpan(reader), from, to, options);
}

/** How many entries there are. */
export async function countEntries({ reader }: View): Promise<number> {
  return reader.stat.entryCount ?? (await arrayLength(reader, wholeSpan(reader)));
}

const brackets: PartFrame = { before: Buffer.from("["), after: Buffer.from("]") };

/** Refuses a slice of what is no array, and one that cannot hold an entry. */
export function checkSlice(view: View, step: SliceStep): void {
  if (view.kind !== "json_array" && !isNdjson(view)) throw wrongKind(view, step);
  if (step.end !== undefined && step.end <= step.start) throw backwards(view, step);
  const { entryCount } = view.reader.stat;
  if (entryCount !== undefined && step.start >= entryCount) {
    throw outOfRange(view, step, `there are ${entryCount} entries, counted from 0`);
  }
}

async function openValue(view: View, range: ByteSpan, step: SelectorStep): Promise<View> {
  const path = [...view.path, step];
  const type = await jsonTypeAt(view.reader, range.start);
  if (type === "string") {
    const reader = await openStringReader(view.reader, range.start + 1, range.end - 1);
    return { kind: "string", reader, path };
  }
  const facts = await jsonFacts(view.reader, range, type);
  return { kind: facts.kind, reader: createPartReader(view.reader, range, facts), path };
}

/** What a value holds is not known before it is scanned; larger ones are not. */
const MAX_COUNTED_BYTES = 16_777_216;

async function jsonFacts(
  reader: BlobReader,
  range: ByteSpan,
  type: JsonType | undefined,
): Promise<PartFacts> {
  const { mediaType } = reader.stat;
  const index = indexOfValue(reader, range);
  const isCounted = index !== undefined || range.end - range.start <= MAX_COUNTED_BYTES;
  switch (type) {
    case "array": {
      const entryCount = isCounted ? await arrayLength(reader, range) : undefined;
      return { kind: "json_array", mediaType, entryCount, index };
    }
    case "object": {
      const keyCount = isCounted ? (await memberKeys(reader, range, 0)).memberCount : undefined;
      return { kind: "json_object", mediaType, keyCount, index };
    }
    default:
      return { kind: "json_value", mediaType };
  }
}

/** Keys that are looked at for one that was meant. */
const MAX_COMPARED_KEYS = 2000;
const MAX_COMPARED_BYTES = 65_536;
const MAX_NEAR_KEYS = 5;
const MAX_LISTED_KEYS = 10;
const MAX_LISTED_KEY_LENGTH = 80;

async function missingKey(view: View, step: KeyStep): Promise<InspectError> {
  const listing = await memberKeys(view.reader, wholeSpan(view.reader), MAX_COMPARED_KEYS, {
    maxBytes: MAX_COMPARED_BYTES,
  });
  const keys = listing.members
    .map(({ key }) => key)
    .filter((key) => key !== undefined)
    .filter((key) => key.length <= MAX_LISTED_KEY_LENGTH);
  const near = nearKeys(step.name, keys, MAX_NEAR_KEYS);
  const shown = near.length > 0 ? near : keys.slice(0, MAX_LISTED_KEYS);
  const list = shown.map((name) => printSelector([{ type: "key", name }])).join(", ");
  const label = near.length > 0 ? "near" : "the first";
  const hint = list === "" ? "" : `\nKeys, ${label}: ${list}`;
  return new InspectError(
    "missing_key",
    `${printSelector([step])}: the object has no such key${hint}\n${describeView(view)}`,
  );
}
