import type { BlobIndex, PartIndex } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { lastAtOrBefore, partAt, partOf, partsOf } from "./part-lookup.js";

/**
 * What the index of a blob knows of an array or object in it, as the index of a blob of its own.
 * `undefined` if nothing: it is small.
 *
 * @param span the value, exactly
 */
export function indexOfValue(reader: BlobReader, span: ByteSpan): BlobIndex | undefined {
  const part = partAt(reader, span.start);
  if (part === undefined || part.end !== span.end) return undefined;
  const parts = partsWithin(reader, span, -span.start);
  return part.type === "array"
    ? { type: "json_array", parts }
    : { type: "json_object", complete: false, entries: [], parts };
}

/**
 * The same for a slice of an array, elements `[from, to)` in brackets, as an array of its own.
 *
 * @param array the array, or all of a blob that is one
 * @param elements from the first byte of the first element to the last of the last
 */
export function indexOfSlice(
  reader: BlobReader,
  array: ByteSpan,
  elements: ByteSpan,
  { from, to }: { readonly from: number; readonly to: number },
): BlobIndex | undefined {
  const part = partOf(reader, array);
  if (part === undefined) return undefined;
  const { numbers, offsets, spacing } = part;
  const numberAt = (position: number): number | undefined => numbers[position];
  const first = lastAtOrBefore(from, numbers.length, numberAt) + 1;
  const end = lastAtOrBefore(to - 1, numbers.length, numberAt) + 1;
  const shift = 1 - elements.start;
  const slice: PartIndex = {
    type: "array",
    start: 0,
    end: elements.end + shift + 1,
    count: to - from,
    spacing,
    numbers: numbers.slice(first, end).map((number) => number - from),
    offsets: offsets.slice(first, end).map((offset) => offset + shift),
  };
  return { type: "json_array", parts: [slice, ...partsWithin(reader, elements, shift)] };
}

function partsWithin(reader: BlobReader, { start, end }: ByteSpan, shift: number): PartIndex[] {
  const parts = partsOf(reader.index);
  const startAt = (position: number): number | undefined => parts[position]?.start;
  const first = lastAtOrBefore(start - 1, parts.length, startAt) + 1;
  const last = lastAtOrBefore(end - 1, parts.length, startAt);
  return parts.slice(first, last + 1).map((part) => shifted(part, shift));
}

function shifted(part: PartIndex, shift: number): PartIndex {
  const { start, end, offsets } = part;
  return {
    ...part,
    start: start + shift,
    end: end + shift,
    offsets: offsets.map((offset) => offset + shift),
  };
}
