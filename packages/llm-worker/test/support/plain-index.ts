import type {
  KeyBoundRows,
  BlobIndex,
  PartIndex,
  SparsePositions,
} from "../../src/blob/blob-index.js";
import { entriesOf, type Lookup } from "../../src/blob/lookup.js";

/** An index with all its lists as arrays, to be compared. */
export function plainIndex(index: BlobIndex | undefined): unknown {
  switch (index?.type) {
    case undefined:
      return undefined;
    case "text":
      return {
        type: index.type,
        ...plainPositions(index),
        entries: index.entries && plainPositions(index.entries),
      };
    case "json_array":
      return { type: index.type, parts: [...entriesOf(index.parts)].map(plainPart) };
    case "json_object":
      return {
        type: index.type,
        members: index.members && [...entriesOf(index.members)],
        parts: [...entriesOf(index.parts)].map(plainPart),
      };
  }
}

function plainPositions({ stride, offsets }: SparsePositions): object {
  return { stride, offsets: [...entriesOf(offsets)] };
}

function plainPart(part: PartIndex): unknown {
  const offsets = [...entriesOf(part.offsets)];
  if (part.type === "array") return { ...part, offsets, numbers: [...entriesOf(part.numbers)] };
  const { blocks } = part;
  if (blocks === undefined) return { ...part, offsets };
  const rows = (list: Lookup<Uint8Array>): number[][] =>
    [...entriesOf(list)].map((row) => [...row]);
  const boundRows = ({ prefix, rows: list }: KeyBoundRows): unknown => ({
    prefix,
    rows: rows(list),
  });
  return {
    ...part,
    offsets,
    blocks: {
      sorted: [...blocks.sorted.encoded],
      loose: [...entriesOf(blocks.loose)],
      hashCount: blocks.hashCount,
      bounds: boundRows(blocks.bounds),
      groupBounds: boundRows(blocks.groupBounds),
      filters: rows(blocks.filters),
    },
  };
}
