import type { BlobIndex, PartIndex, PartList } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { lastAtOrBefore, mapLookup } from "./lookup.js";
import { lastPartAt, partAt, partOf, partsOf } from "./part-lookup.js";

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
  return { type: part.type === "array" ? "json_array" : "json_object", parts };
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
  if (part?.type !== "array") return undefined;
  const { numbers, offsets, spacing } = part;
  const first = lastAtOrBefore(from, numbers) + 1;
  const end = Math.max(first, lastAtOrBefore(to - 1, numbers) + 1);
  const shift = 1 - elements.start;
  const slice: PartIndex = {
    type: "array",
    start: 0,
    end: elements.end + shift + 1,
    count: to - from,
    spacing,
    numbers: mapLookup(numbers, (number) => number - from, first, end),
    offsets: mapLookup(offsets, (offset) => offset + shift, first, end),
  };
  const nested = partsWithin(reader, elements, shift);
  const parts: PartList = {
    length: nested.length + 1,
    at: (position) => (position === 0 ? slice : nested.at(position - 1)),
    starts: {
      length: nested.length + 1,
      at: (position) => (position === 0 ? slice.start : nested.starts.at(position - 1)),
    },
  };
  return { type: "json_array", parts };
}

function partsWithin(reader: BlobReader, { start, end }: ByteSpan, shift: number): PartList {
  const parts = partsOf(reader.index);
  const first = lastPartAt(parts, start - 1) + 1;
  const afterLast = lastPartAt(parts, end - 1) + 1;
  return {
    ...mapLookup(parts, (part) => shifted(part, shift), first, afterLast),
    starts: mapLookup(parts.starts, (begin) => begin + shift, first, afterLast),
  };
}

function shifted(part: PartIndex, shift: number): PartIndex {
  return {
    ...part,
    start: part.start + shift,
    end: part.end + shift,
    offsets: mapLookup(part.offsets, (offset) => offset + shift),
  };
}
