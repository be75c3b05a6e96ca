import type { PartIndex } from "./blob-index.js";
import type { JsonContainer, MarkVisitor } from "./json-visitor.js";
import type { KeyBatch } from "./key-batch.js";
import { BlocksLayout, KeyBlockCollector } from "./key-blocks.js";
import { type CollectedPart, thinPart } from "./thin-part.js";

/** Smaller arrays and objects are scanned. */
const MIN_PART_BYTES = 65_536;
/**
 * What comes between marks at least. With what they lie apart beyond that, as a rule, eight of them are in the
 * longest short block.
 */
const MIN_SPACING_BYTES = 7808;
/**
 * Checkpoints of arrays are at first so much of that apart: all marks are kept, and of each spacing beyond
 * that of the marks every second, though some are a little nearer to each other. So they lie as evenly as
 * they came.
 */
const FIRST_SPACING_SHARE = 7 / 16;
/**
 * Blocks of members are so many times as long as checkpoints in arrays are apart, for what is known of them
 * takes so much more room in an index; but no longer than this, and then twice this, as long as can be.
 */
const BLOCK_FACTOR = 5;
const SHORT_BLOCK_BYTES = 65_536;
/** What may be held at once: checkpoints, a part counting as two. A few MB, and more than an index has room for. */
const MAX_HELD = 32_768;
/**
 * What is known of the keys of a block counts as so many checkpoints; of one that may become longer as more, as
 * to lay out many takes long at the end.
 */
const BLOCK_HELD = 2;
const SHORTER_BLOCK_HELD = 15;

/** Bounds of a {@link PartIndexer}. The defaults are for what is stored. */
export interface PartIndexerOptions {
  readonly minPartBytes?: number | undefined;
  readonly minSpacingBytes?: number | undefined;
  /** Exceeded only by the last checkpoints of all that is open. */
  readonly maxHeld?: number | undefined;
}

/** An array or object that has not ended. */
interface OpenPart {
  readonly keys: KeyBlockCollector | undefined;
  readonly part: CollectedPart;
}

/** Collects checkpoints in the large arrays and objects of a JSON text, within a bound of memory. */
export class PartIndexer implements MarkVisitor {
  readonly spacing: number;
  readonly #reportKeys: () => void;
  readonly #minPartBytes: number;
  readonly #maxHeld: number;
  readonly #shortBlockBytes: number;
  /** How far apart the checkpoints of arrays are that are kept of the marks: more and more. */
  #spacing: number;
  /** By depth. */
  readonly #open: (OpenPart | undefined)[] = [];
  #ended: CollectedPart[] = [];
  #held = 0;
  /** Keys of the outermost object are told from the first; those of others once they are large. */
  readonly #rootKeys = new KeyBlockCollector("whole");

  /** @param reportKeys makes the scanner tell of the keys up to the mark that is being told */
  constructor(options: PartIndexerOptions, reportKeys: () => void) {
    this.#reportKeys = reportKeys;
    this.#minPartBytes = options.minPartBytes ?? MIN_PART_BYTES;
    this.spacing = options.minSpacingBytes ?? MIN_SPACING_BYTES;
    this.#spacing = Math.ceil(this.spacing * FIRST_SPACING_SHARE);
    this.#maxHeld = options.maxHeld ?? MAX_HELD;
    this.#shortBlockBytes = (SHORT_BLOCK_BYTES * this.spacing) / MIN_SPACING_BYTES;
  }

  /** Nothing is said of the first block of a nested object, which most do not get beyond. */
  wantsKeys(depth: number): boolean {
    const open = this.#open[depth];
    return depth === 1 || (open?.keys !== undefined && open.part.offsets.length > 0);
  }

  onKeys(depth: number, batch: KeyBatch): void {
    this.#keysAt(depth)?.addBatch(batch);
  }

  /**
   * Takes a key of the object at this depth; `undefined` for one that was not read.
   * @param isPlain whether it is written without escapes
   */
  addKey(depth: number, key: string | undefined, isPlain: boolean): void {
    this.#keysAt(depth)?.add(key, isPlain);
  }

  onMark(depth: number, type: JsonContainer, start: number, offset: number, number: number): void {
    const { part, keys } = (this.#open[depth] ??= this.#begin(depth, type, start));
    if (keys !== undefined) this.#addBlock(part, keys, offset);
    else if (offset - (part.offsets.at(-1) ?? start) >= this.#spacing) {
      part.numbers.push(number);
      part.offsets.push(offset);
      this.#held++;
    } else return;
    if (this.#isTooMuch()) this.#thin();
  }

  /** Ends a block, unless the next mark may come before it is too long; one that tells nothing as soon as can be. */
  #addBlock(
    { start, offsets, blocks }: CollectedPart,
    keys: KeyBlockCollector,
    offset: number,
  ): void {
    const length = offset - (offsets.at(-1) ?? start);
    const most = this.#spacingOf("object", this.#spacing);
    if (length + this.spacing <= most && !keys.isUnknown) return;
    this.#reportKeys();
    offsets.push(offset);
    blocks.push(keys.endBlock());
    this.#held += 1 + this.#blockHeld();
  }

  onEnd(depth: number, type: JsonContainer, start: number, end: number, count: number): void {
    const { part, keys } = this.#open[depth] ?? this.#begin(depth, type, start);
    this.#open[depth] = undefined;
    this.#held -= this.#heldBy(part);
    if (end - start < this.#minPartBytes) return;
    if (keys !== undefined) part.blocks.push(keys.endBlock());
    const ended = { ...part, end, count, hashCount: keys?.hashCount ?? 0 };
    this.#ended.push(ended);
    this.#held += this.#heldBy(ended) + 2;
    if (this.#isTooMuch()) this.#thin();
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
    for (let spacing = this.#spacing; collected.length > 0;) {
      const layouts = collected.map(
        (part) => new PartLayout(part, this.#spacingOf(part.type, spacing)),
      );
      // Laid out is only what may fit.
      if (layouts.reduce((sum, { leastBytes }) => sum + leastBytes, 0) <= maxBytes) {
        const parts = layouts.map((layout) => layout.layOut());
        if (sizeOf(parts) <= maxBytes) return parts;
      }
      spacing *= 2;
      collected = this.#thinned(collected, spacing);
    }
    return [];
  }

  #keysAt(depth: number): KeyBlockCollector | undefined {
    return depth === 1 ? this.#rootKeys : this.#open[depth]?.keys;
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
      blocks: [],
    };
    if (type === "array") return { part, keys: undefined };
    return { part, keys: depth === 1 ? this.#rootKeys : new KeyBlockCollector("part") };
  }

  /** Whether there is more than is to be held; of all that is open the last checkpoints stay. */
  #isTooMuch(): boolean {
    return this.#held > this.#maxHeld && this.#spacing < Number.MAX_SAFE_INTEGER;
  }

  /** To be called where there is too much: V8 then compiles what handles a mark without it. */
  #thin(): void {
    while (this.#isTooMuch()) {
      this.#spacing *= 2;
      this.#ended = this.#thinned(this.#ended, this.#spacing);
      this.#held = this.#ended.reduce((sum, part) => sum + this.#heldBy(part) + 2, 0);
      for (const one of this.#open) {
        if (one === undefined) continue;
        const { part } = one;
        Object.assign(part, thinPart(part, this.#spacingOf(part.type, this.#spacing)));
        this.#held += this.#heldBy(part);
      }
    }
  }

  /** A part that would have no checkpoint goes: it is scanned as quickly. */
  #thinned(parts: readonly CollectedPart[], spacing: number): CollectedPart[] {
    return parts
      .filter(({ start, end }) => end - start >= 2 * spacing)
      .map((part) => thinPart(part, this.#spacingOf(part.type, spacing)));
  }

  /** Beside what the part itself counts as. */
  #heldBy({ offsets, blocks }: CollectedPart): number {
    return offsets.length + blocks.length * this.#blockHeld();
  }

  #blockHeld(): number {
    const isShorter = this.#spacingOf("object", this.#spacing) < this.#shortBlockBytes;
    return isShorter ? SHORTER_BLOCK_HELD : BLOCK_HELD;
  }

  /** A value that is as large has a mark after it: in objects if it is twice as large as marks are far apart. */
  #spacingOf(type: JsonContainer, spacing: number): number {
    if (type === "array") return spacing;
    const short = this.#shortBlockBytes;
    const most = 2 * spacing < short ? short : 2 * short;
    return Math.ceil(Math.max(spacing, Math.min(BLOCK_FACTOR * spacing, most)));
  }
}

/** An object whose members are all listed is not looked through: it needs no checkpoints. */
function withoutOuterPlaces(part: CollectedPart, position: number): CollectedPart {
  return position === 0 ? { ...part, offsets: [], blocks: [] } : part;
}

/** How a part is to be written into an index. */
class PartLayout {
  readonly #part: CollectedPart;
  readonly #spacing: number;
  readonly #blocks: BlocksLayout | undefined;

  constructor(part: CollectedPart, spacing: number) {
    const { blocks, hashCount } = part;
    this.#part = part;
    this.#spacing = spacing;
    this.#blocks = blocks.length === 0 ? undefined : new BlocksLayout(blocks, hashCount);
  }

  /** Bytes that it takes at least, as a rule. */
  get leastBytes(): number {
    const placesBytes = this.#part.offsets.length * MIN_OFFSET_BYTES;
    return MIN_PART_BYTES_IN_INDEX + placesBytes + (this.#blocks?.leastBytes ?? 0);
  }

  layOut(): PartIndex {
    const { type, start, end, count, numbers, offsets } = this.#part;
    const part = { start, end, count, spacing: this.#spacing, offsets };
    if (type === "array") return { ...part, type, numbers };
    if (this.#blocks === undefined) return { ...part, type, spacing: end - start };
    return { ...part, type, blocks: this.#blocks.layOut() };
  }
}

const MIN_PART_BYTES_IN_INDEX = 10;
/** As a rule. */
const MIN_OFFSET_BYTES = 2;
