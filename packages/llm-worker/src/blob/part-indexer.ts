import type { PartIndex } from "./blob-index.js";
import type { JsonContainer, MarkVisitor } from "./json-visitor.js";
import { KeyBlockCollector, keyBlocksOf, leastBlocksBytes } from "./key-blocks.js";
import { type CollectedPart, thinPart } from "./thin-part.js";

/** Smaller arrays and objects are scanned. */
const MIN_PART_BYTES = 65_536;
/** From one checkpoint to the next, as long as memory and index have room for so many. */
const MIN_SPACING_BYTES = 8192;
/** What may be held at once: checkpoints, a part counting as two. A few MB. */
const MAX_HELD = 65_536;
/** A block of members counts as so many checkpoints, for what is known of its keys. */
const BLOCK_HELD = 4;
/** Where there are many, blocks are so many times as long as the least spacing, before all gets less dense. */
const MAX_BLOCK_FACTOR = 16;
/** With more, blocks become longer at once, as far as they may: the end of the input has less to do. */
const MAX_SHORT_BLOCKS = 2048;

/** Bounds of a {@link PartIndexer}. The defaults are for what is stored. */
export interface PartIndexerOptions {
  readonly minPartBytes?: number | undefined;
  readonly minSpacingBytes?: number | undefined;
  /** Exceeded only by the last checkpoints of all that is open. */
  readonly maxHeld?: number | undefined;
}

/** How far apart checkpoints, and ends of blocks, are. */
interface Density {
  readonly spacing: number;
  readonly blockSpacing: number;
}

/** An array or object that has not ended. */
interface OpenPart {
  readonly keys: KeyBlockCollector | undefined;
  part: CollectedPart;
}

/** Collects checkpoints in the large arrays and objects of a JSON text, within a bound of memory. */
export class PartIndexer implements MarkVisitor {
  readonly spacing: number;
  readonly #minPartBytes: number;
  readonly #maxHeld: number;
  /** What is kept of the marks, by and by. */
  #density: Density;
  /** By depth. */
  readonly #open: (OpenPart | undefined)[] = [];
  #ended: CollectedPart[] = [];
  #held = 0;
  #heldBlocks = 0;
  /** Keys of the outermost object are told from the first; those of others once they are large. */
  readonly #rootKeys = new KeyBlockCollector("whole");

  constructor(options: PartIndexerOptions = {}) {
    this.#minPartBytes = options.minPartBytes ?? MIN_PART_BYTES;
    this.spacing = options.minSpacingBytes ?? MIN_SPACING_BYTES;
    // Of an array all marks are kept at first: some are a little nearer to each other.
    this.#density = { spacing: Math.ceil(this.spacing / 2), blockSpacing: 2 * this.spacing };
    this.#maxHeld = options.maxHeld ?? MAX_HELD;
  }

  /** Nothing is said of the first block of a nested object, which most do not get beyond. */
  wantsKey(depth: number): boolean {
    const open = this.#open[depth];
    return open?.keys !== undefined && open.part.offsets.length > 0;
  }

  /**
   * Takes a key of the object at this depth; `undefined` for one that was not read.
   * @param isPlain whether it is written without escapes
   */
  addKey(depth: number, key: string | undefined, isPlain: boolean): void {
    const keys = depth === 1 ? this.#rootKeys : this.#open[depth]?.keys;
    keys?.add(key, isPlain);
  }

  onMark(depth: number, type: JsonContainer, start: number, offset: number, number: number): void {
    const { part, keys } = (this.#open[depth] ??= this.#begin(depth, type, start));
    const { numbers, offsets, ends, blocks } = part;
    const spacing = this.#spacingOf(type, this.#density);
    if (offset - (offsets.at(-1) ?? start) < spacing) return;
    if (type === "array") numbers.push(number);
    offsets.push(offset);
    this.#held++;
    if (keys !== undefined && offset - (ends.at(-1) ?? start) >= this.#density.blockSpacing) {
      ends.push(offset);
      blocks.push(keys.endBlock());
      this.#held += BLOCK_HELD;
      this.#heldBlocks++;
    }
    this.#thin();
  }

  onEnd(depth: number, type: JsonContainer, start: number, end: number, count: number): void {
    const { part, keys } = this.#open[depth] ?? this.#begin(depth, type, start);
    this.#open[depth] = undefined;
    this.#held -= heldBy(part);
    this.#heldBlocks -= part.ends.length;
    if (end - start < this.#minPartBytes) return;
    if (keys !== undefined) part.blocks.push(keys.endBlock());
    const ended = { ...part, end, count, hashCount: keys?.hashCount ?? 0 };
    this.#ended.push(ended);
    this.#held += heldBy(ended) + 2;
    this.#heldBlocks += ended.ends.length;
    this.#thin();
  }

  /**
   * All parts, in order of their beginning, that fit in so many bytes, as `sizeOf` counts: the more
   * there are, the further apart the checkpoints, and the larger the smallest part.
   */
  finish(
    maxBytes: number,
    sizeOf: (parts: readonly PartIndex[]) => number,
    outerKeys: "listed" | "searched" = "searched",
  ): readonly PartIndex[] {
    let collected = this.#ended.toSorted((one, other) => one.start - other.start);
    if (outerKeys === "listed") collected = collected.map(withoutOuterPlaces);
    for (let density = this.#density; collected.length > 0;) {
      // Laid out is only what may fit.
      if (leastBytes(collected) <= maxBytes) {
        const parts = collected.map((part) => partOf(part, this.#spacingOf(part.type, density)));
        if (sizeOf(parts) <= maxBytes) return parts;
      }
      density = this.#coarser(density, collected);
      collected = this.#thinned(collected, density);
    }
    return [];
  }

  #begin(depth: number, type: JsonContainer, start: number): OpenPart {
    const part: CollectedPart = {
      type,
      start,
      end: Infinity,
      count: 0,
      hashCount: 0,
      numbers: [],
      offsets: [],
      ends: [],
      blocks: [],
    };
    if (type === "array") return { part, keys: undefined };
    return { part, keys: depth === 1 ? this.#rootKeys : new KeyBlockCollector("part") };
  }

  /** Whether there is more than is to be held; of all that is open the last checkpoints stay. */
  #isTooMuch(): boolean {
    const { spacing, blockSpacing } = this.#density;
    if (this.#held > this.#maxHeld) return spacing < Number.MAX_SAFE_INTEGER;
    return this.#heldBlocks > MAX_SHORT_BLOCKS && blockSpacing < MAX_BLOCK_FACTOR * this.spacing;
  }

  #thin(): void {
    while (this.#isTooMuch()) {
      const open = this.#open.flatMap((one) => one?.part ?? []);
      this.#density = this.#coarser(this.#density, [...this.#ended, ...open]);
      this.#ended = this.#thinned(this.#ended, this.#density);
      this.#held = this.#ended.reduce((sum, part) => sum + heldBy(part) + 2, 0);
      this.#heldBlocks = this.#ended.reduce((sum, { ends }) => sum + ends.length, 0);
      for (const one of this.#open) {
        if (one === undefined) continue;
        one.part = this.#thinnedPart(one.part, this.#density);
        this.#held += heldBy(one.part);
        this.#heldBlocks += one.part.ends.length;
      }
    }
  }

  /** A part that would have no checkpoint goes: it is scanned as quickly. */
  #thinned(parts: readonly CollectedPart[], density: Density): CollectedPart[] {
    return parts
      .filter(({ start, end }) => end - start >= 2 * density.spacing)
      .map((part) => this.#thinnedPart(part, density));
  }

  #thinnedPart(part: CollectedPart, density: Density): CollectedPart {
    const spacing = this.#spacingOf(part.type, density);
    return thinPart(part, spacing, density.blockSpacing);
  }

  /** Longer blocks first, as what is known of one takes the most room; but not longer than is read at once. */
  #coarser({ spacing, blockSpacing }: Density, parts: readonly CollectedPart[]): Density {
    const hasBlocks = parts.some(({ ends }) => ends.length > 0);
    if (hasBlocks && blockSpacing < MAX_BLOCK_FACTOR * this.spacing) {
      return { spacing, blockSpacing: blockSpacing * 2 };
    }
    return { spacing: spacing * 2, blockSpacing: Math.max(blockSpacing, spacing * 2) };
  }

  /** A value that is as large as the spacing has a mark after it if that is twice that of the marks. */
  #spacingOf(type: JsonContainer, { spacing }: Density): number {
    return type === "object" ? Math.max(spacing, 2 * this.spacing) : spacing;
  }
}

/** An object whose members are all listed is not looked through: it needs no checkpoints. */
function withoutOuterPlaces(part: CollectedPart, position: number): CollectedPart {
  return position === 0 ? { ...part, offsets: [], ends: [], blocks: [] } : part;
}

/** Bytes that parts take in an index at least. */
function leastBytes(parts: readonly CollectedPart[]): number {
  return parts.reduce((sum, { offsets, blocks, hashCount }) => {
    const placesBytes = offsets.length * MIN_OFFSET_BYTES + leastBlocksBytes(blocks, hashCount);
    return sum + MIN_PART_BYTES_IN_INDEX + placesBytes;
  }, 0);
}

const MIN_PART_BYTES_IN_INDEX = 10;
const MIN_OFFSET_BYTES = 2;

function partOf(collected: CollectedPart, spacing: number): PartIndex {
  const { type, start, end, count, hashCount, numbers, offsets, ends, blocks } = collected;
  const part = { start, end, count, spacing, offsets };
  if (type === "array") return { ...part, type, numbers };
  if (blocks.length === 0) return { ...part, type, spacing: end - start };
  return { ...part, type, blocks: keyBlocksOf(ends, blocks, hashCount) };
}

/** Beside what the part itself counts as. */
function heldBy({ offsets, ends }: CollectedPart): number {
  return offsets.length + ends.length * BLOCK_HELD;
}
