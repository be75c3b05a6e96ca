import type { KeyBlock, PartIndex } from "./blob-index.js";
import { joinBlocks } from "./key-blocks.js";

/** Checkpoints of a part, as in its `PartIndex`; `blocks` has one more if the part has ended. */
export interface Checkpoints {
  readonly numbers: number[];
  readonly offsets: number[];
  readonly blocks: (KeyBlock | undefined)[];
}

/**
 * The checkpoints that are `spacing` apart, each the first that is far enough from the one before:
 * so a value of `spacing` bytes is still followed by one. Of an open part the last is kept too.
 */
export function thinCheckpoints(
  { numbers, offsets, blocks }: Checkpoints,
  { start, spacing, isOpen }: { start: number; spacing: number; isOpen: boolean },
): Checkpoints {
  const thinned: Checkpoints = { numbers: [], offsets: [], blocks: [] };
  let before = start;
  let isJoined = false;
  let joined: KeyBlock | undefined;
  const addBlock = (position: number): void => {
    joined = isJoined ? joinBlocks(joined, blocks[position]) : blocks[position];
    isJoined = true;
  };
  for (const [position, offset] of offsets.entries()) {
    addBlock(position);
    if (offset - before < spacing && !(isOpen && position === offsets.length - 1)) continue;
    thinned.numbers.push(numbers[position] as number); // as long as offsets
    thinned.offsets.push(offset);
    thinned.blocks.push(joined);
    before = offset;
    isJoined = false;
  }
  if (!isOpen) {
    addBlock(offsets.length);
    thinned.blocks.push(joined);
  }
  return thinned;
}

/** The same part with checkpoints that are further apart. */
export function thinPart(part: PartIndex, spacing: number): PartIndex {
  const { start, numbers, offsets, blocks } = part;
  const all = { numbers: [...numbers], offsets: [...offsets], blocks: [...(blocks?.blocks ?? [])] };
  const thinned = thinCheckpoints(all, { start, spacing, isOpen: false });
  return {
    ...part,
    spacing,
    numbers: Float64Array.from(thinned.numbers),
    offsets: Float64Array.from(thinned.offsets),
    ...(blocks !== undefined && { blocks: { ...blocks, blocks: thinned.blocks } }),
  };
}
