import type { PartIndex } from "./blob-index.js";
import type { JsonContainer, MarkVisitor } from "./json-visitor.js";
import { KeyBlockCollector } from "./key-blocks.js";
import { type Checkpoints, thinCheckpoints, thinPart } from "./thin-part.js";

/** Smaller arrays and objects are scanned. */
const MIN_PART_BYTES = 65_536;
/** From one checkpoint to the next, as long as memory and index have room for so many. */
const MIN_SPACING_BYTES = 8192;
/**
 * A checkpoint of an object takes more room, for its keys. And a value that is as large as the
 * spacing has a mark after it only if the spacing is twice that of the marks.
 */
const OBJECT_SPACING_FACTOR = 4;
/** What may be held at once: checkpoints, a part counting as two. A few MB. */
const MAX_HELD = 16_384;
/** A checkpoint of an object counts as so many: an index has room for as much fewer, for their keys. */
const OBJECT_CHECKPOINT_HELD = 8;

/** Bounds of a {@link PartIndexer}. The defaults are for what is stored. */
export interface PartIndexerOptions {
  readonly minPartBytes?: number | undefined;
  readonly minSpacingBytes?: number | undefined;
  /** Exceeded only by the last checkpoints of all that is open. */
  readonly maxHeld?: number | undefined;
}

/** An array or object that has not ended. */
interface OpenPart {
  readonly type: JsonContainer;
  readonly start: number;
  readonly keys: KeyBlockCollector | undefined;
  checkpoints: Checkpoints;
}

/** Collects checkpoints in the large arrays and objects of a JSON text, within a bound of memory. */
export class PartIndexer implements MarkVisitor {
  readonly spacing: number;
  readonly #minPartBytes: number;
  readonly #maxHeld: number;
  /** What is kept of the marks, by and by. */
  #spacing: number;
  /** By depth. */
  readonly #open: (OpenPart | undefined)[] = [];
  #ended: PartIndex[] = [];
  #held = 0;
  /** Keys of the outermost object are told from the first; those of others once they are large. */
  readonly #rootKeys = new KeyBlockCollector("whole");

  constructor(options: PartIndexerOptions = {}) {
    this.#minPartBytes = options.minPartBytes ?? MIN_PART_BYTES;
    this.spacing = options.minSpacingBytes ?? MIN_SPACING_BYTES;
    // Of an array all marks are kept at first: some are a little nearer to each other.
    this.#spacing = Math.ceil(this.spacing / 2);
    this.#maxHeld = options.maxHeld ?? MAX_HELD;
  }

  /** Nothing is said of the first block of a nested object, which most do not get beyond. */
  wantsKey(depth: number): boolean {
    const part = this.#open[depth];
    return part?.keys !== undefined && part.checkpoints.offsets.length > 0;
  }

  /** Takes a key of the object at this depth; `undefined` for one that was not read. */
  addKey(depth: number, key: string | undefined): void {
    if (depth === 1) this.#rootKeys.add(key);
    else this.#open[depth]?.keys?.add(key);
  }

  onMark(depth: number, type: JsonContainer, start: number, offset: number, number: number): void {
    const part = (this.#open[depth] ??= this.#begin(depth, type, start));
    const { numbers, offsets, blocks } = part.checkpoints;
    if (offset - (offsets.at(-1) ?? part.start) < spacingOf(type, this.#spacing)) return;
    numbers.push(number);
    offsets.push(offset);
    blocks.push(part.keys?.endBlock());
    this.#held += heldByCheckpoint(type);
    if (this.#held > this.#maxHeld) this.#thin();
  }

  onEnd(depth: number, type: JsonContainer, start: number, end: number, count: number): void {
    const part = this.#open[depth] ?? this.#begin(depth, type, start);
    const { keys, checkpoints } = part;
    this.#open[depth] = undefined;
    this.#held -= checkpoints.offsets.length * heldByCheckpoint(type);
    if (end - start < this.#minPartBytes) return;
    const blocks = [...checkpoints.blocks, keys?.endBlock()];
    const ended: PartIndex = {
      type,
      start,
      end,
      count,
      spacing: spacingOf(type, this.#spacing),
      numbers: Float64Array.from(checkpoints.numbers),
      offsets: Float64Array.from(checkpoints.offsets),
      ...(keys !== undefined && { blocks: { hashCount: keys.hashCount, blocks } }),
    };
    this.#ended.push(ended);
    this.#held += heldBy(ended);
    if (this.#held > this.#maxHeld) this.#thin();
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
    let parts = this.#ended.toSorted((one, other) => one.start - other.start);
    if (outerKeys === "listed")
      parts = parts.map((part, at) => (at === 0 ? withoutCheckpoints(part) : part));
    for (let spacing = this.#spacing; parts.length > 0 && sizeOf(parts) > maxBytes;) {
      spacing *= 2;
      parts = thinParts(parts, spacing);
    }
    return parts;
  }

  #begin(depth: number, type: JsonContainer, start: number): OpenPart {
    const checkpoints = { numbers: [], offsets: [], blocks: [] };
    if (type === "array") return { type, start, keys: undefined, checkpoints };
    const keys = depth === 1 ? this.#rootKeys : new KeyBlockCollector("part");
    return { type, start, keys, checkpoints };
  }

  #thin(): void {
    // The last checkpoints of all that is open stay, however many parts are open at once.
    while (this.#held > this.#maxHeld && this.#spacing < Number.MAX_SAFE_INTEGER) {
      this.#spacing *= 2;
      this.#ended = thinParts(this.#ended, this.#spacing);
      this.#held = this.#ended.reduce((sum, part) => sum + heldBy(part), 0);
      for (const part of this.#open) {
        if (part === undefined) continue;
        const spacing = spacingOf(part.type, this.#spacing);
        const { start, checkpoints } = part;
        part.checkpoints = thinCheckpoints(checkpoints, { start, spacing, isOpen: true });
        this.#held += part.checkpoints.offsets.length * heldByCheckpoint(part.type);
      }
    }
  }
}

/** An object whose members are all listed is not looked through: it needs no checkpoints. */
function withoutCheckpoints({ blocks: _blocks, ...part }: PartIndex): PartIndex {
  const none = new Float64Array();
  return { ...part, spacing: part.end - part.start, numbers: none, offsets: none };
}

/** A part that would have no checkpoint goes: it is scanned as quickly. */
function thinParts(parts: readonly PartIndex[], spacing: number): PartIndex[] {
  return parts
    .filter(({ start, end }) => end - start >= 2 * spacing)
    .map((part) => thinPart(part, spacingOf(part.type, spacing)));
}

function spacingOf(type: JsonContainer, spacing: number): number {
  return type === "object" ? spacing * OBJECT_SPACING_FACTOR : spacing;
}

function heldBy({ type, offsets }: PartIndex): number {
  return offsets.length * heldByCheckpoint(type) + 2;
}

function heldByCheckpoint(type: JsonContainer): number {
  return type === "object" ? OBJECT_CHECKPOINT_HELD : 1;
}
