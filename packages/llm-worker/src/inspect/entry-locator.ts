import { type ByteSpan, elementRanges, wholeSpan } from "../blob/ranges.js";
import type { View } from "./view.js";

/** Arrays without an index are searched for entries only if they are smaller. */
const MAX_SCANNED_BYTES = 262_144;

/** Tells in which entry a byte lies; `undefined` if in none. */
export type EntryLocator = (offset: number) => Promise<number | undefined>;

/** A locator for the entries of an array, or `undefined` if locating them would take a long scan. */
export function createEntryLocator({ kind, reader }: View): EntryLocator | undefined {
  if (kind !== "json_array") return undefined;
  const { index, stat } = reader;
  if (index === undefined && stat.byteCount > MAX_SCANNED_BYTES) return undefined;
  const { stride, offsets } =
    index?.type === "json_array" ? index : { stride: Number.MAX_SAFE_INTEGER, offsets: [0] };
  let group: Group | undefined;

  return async (offset) => {
    const first = stride * lastAtOrBefore(offsets, offset);
    if (group?.first !== first) {
      const entries = await elementRanges(reader, wholeSpan(reader), first, first + stride);
      group = { first, entries };
    }
    const position = group.entries.findIndex(({ start, end }) => start <= offset && offset < end);
    return position === -1 ? undefined : first + position;
  };
}

/** The entries between two of the places that the index knows. */
interface Group {
  readonly first: number;
  readonly entries: readonly ByteSpan[];
}

function lastAtOrBefore(offsets: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((offsets[middle] ?? Infinity) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
