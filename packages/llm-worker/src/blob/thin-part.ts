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
  /** Where blocks of members end; of `blocks` there is one more once the part has ended. */
  readonly ends: number[];
  readonly blocks: (KeyBlock | undefined)[];
}

/**
 * The part with the checkpoints that are so far apart, each the first that is far enough from the one
 * before: so a value of `spacing` bytes is still followed by a checkpoint; and with blocks as long as
 * can be, but no longer than `blockSpacing`.
 */
export function thinPart(
  part: CollectedPart,
  spacing: number,
  blockSpacing: number,
): CollectedPart {
  return { ...part, ...thinCheckpoints(part, spacing), ...thinBlocks(part, blockSpacing) };
}

function thinCheckpoints(
  part: CollectedPart,
  spacing: number,
): Pick<CollectedPart, "numbers" | "offsets"> {
  const { numbers, offsets } = part;
  const kept = keptPositions(offsets, part, spacing);
  const entriesOf = (values: readonly number[]): number[] =>
    kept.map((position) => values[position] as number); // as long as offsets
  return { offsets: entriesOf(offsets), numbers: numbers.length === 0 ? [] : entriesOf(numbers) };
}

function thinBlocks(part: CollectedPart, spacing: number): Pick<CollectedPart, "ends" | "blocks"> {
  const thinned: Pick<CollectedPart, "ends" | "blocks"> = { ends: [], blocks: [] };
  const { ends, blocks } = part;
  let first = 0;
  for (const position of lastWithin(ends, part, spacing)) {
    thinned.ends.push(ends[position] as number); // one of its positions
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

/** Those of the ends that make blocks no longer than this, where they were not before. */
function lastWithin(
  ends: readonly number[],
  { start, end }: CollectedPart,
  spacing: number,
): number[] {
  let before = start;
  return [...ends.keys()].filter((position) => {
    // Of an open part the last stays.
    const next = ends[position + 1] ?? end;
    if (next - before <= spacing) return false;
    before = ends[position] as number; // one of its positions
    return true;
  });
}

/** Those of the offsets that are far enough apart. Of an open part the last is kept as well. */
function keptPositions(
  offsets: readonly number[],
  { start, end }: CollectedPart,
  spacing: number,
): number[] {
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
