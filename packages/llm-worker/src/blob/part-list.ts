import type { PartIndex, PartList } from "./blob-index.js";
import { mapLookup } from "./lookup.js";

/** Parts in memory, in order of their beginning. */
export function partList(parts: readonly PartIndex[]): PartList {
  return {
    length: parts.length,
    at: (position) => parts[position],
    starts: mapLookup(parts, ({ start }) => start),
  };
}
