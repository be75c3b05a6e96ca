import { lastAtOrBefore } from "../blob/lookup.js";
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
  const part = index?.type === "json_array" ? index.parts.at(0) : undefined;
  const { numbers, offsets } = part?.type === "array" ? part : NO_CHECKPOINTS;
  let group: Group | undefined;

  return async (offset) => {
    const position = lastAtOrBefore(offset, offsets);
    const first = (position < 0 ? undefined : numbers.at(position)) ?? 0;
    if (group?.first !== first) {
      const next = numbers.at(position + 1) ?? Infinity;
      const entries = await elementRanges(reader, wholeSpan(reader), first, next);
      group = { first, entries };
    }
    const found = group.entries.findIndex(({ start, end }) => start <= offset && offset < end);
    return found === -1 ? undefined : first + found;
  };
}

const NO_CHECKPOINTS = { numbers: [], offsets: [] };

/** The entries between two of the places that the index knows. */
interface Group {
  readonly first: number;
  readonly entries: readonly ByteSpan[];
}
