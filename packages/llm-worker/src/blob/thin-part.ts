import type { JsonContainer } from "./json-visitor.js";
import { joinBlocks, type KeyBlock } from "./key-blocks.js";

/** What has been found in a large array or object, as its `PartIndex` says it. */
export interface CollectedPart {
  readonly type: JsonContainer;
  readonly start: number;
  /** `Infinity` while it is open. */
  readonly end: number;
  readonly count: number;
  readonly hashCount: number;
  /** Of an object none. */
  readonly numbers: number[];
  readonly offsets: number[];
  /** Of an object, what is known of the keys before each offset; one more once it has ended. */
  readonly blocks: (KeyBlock | undefined)[];
}

/**
 * The part with fewer checkpoints. Those of an array are `spacing` apart, each the first that is far
 * enough from the one before. Those of an object end blocks as long as can be, but no longer than
 * `spacing`, where they were not before. Either way a value of so many bytes is still followed by one.
 */
export function thinPart(part: CollectedPart, spacing: number): CollectedPart {
  return part.type === "array" ? thinArray(part, spacing) : thinObject(part, spacing);
}

function thinArray(part: CollectedPart, spacing: number): CollectedPart {
  const { numbers, offsets } = part;
  const kept = firstBehind(part, spacing);
  const entriesOf = (values: readonly number[]): number[] =>
    kept.map((position) => values[position] as number); // as long as offsets
  return { ...part, offsets: entriesOf(offsets), numbers: entriesOf(numbers) };
}

function thinObject(part: CollectedPart, spacing: number): CollectedPart {
  const { offsets, blocks } = part;
  const thinned: CollectedPart = { ...part, offsets: [], blocks: [] };
  let first = 0;
  for (const position of lastWithin(part, spacing)) {
    thinned.offsets.push(offsets[position] as number); // one of its positions
    thinned.blocks.push(joined(blocks, first, position + 1));
    first = position + 1;
  }
  if (first < blocks.length) thinned.blocks.push(joined(blocks, first, blocks.length));
  return thinned;
}

function joined(blocks: CollectedPart["blocks"], from: number, to: number): KeyBlock | undefined {
  let block = blocks[from];
  for (let position = from + 1; position < to; position++) {
    block = joinBlocks(block, blocks[position]);
  }
  return block;
}

/** Those of the offsets that are the last before what lies further than this behind the one before. */
function lastWithin({ start, end, offsets }: CollectedPart, spacing: number): number[] {
  let before = start;
  return [...offsets.keys()].filter((position) => {
    // Of an open part the last stays.
    const next = offsets[position + 1] ?? end;
    if (next - before <= spacing) return false;
    before = offsets[position] as number; // one of its positions
    return true;
  });
}

/** Those of the offsets that are far enough apart. Of an open part the last is kept as well. */
function firstBehind({ start, end, offsets }: CollectedPart, spacing: number): number[] {
  const last = end === Infinity ? offsets.length - 1 : -1;
  let before = start;
  const kept: number[] = [];
  for (const [position, offset] of offsets.entries()) {
    if (offset - before < spacing && position !== last) continue;
    kept.push(position);
    before = offset;
  }
  return kept;
}
