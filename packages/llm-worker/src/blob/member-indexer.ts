import type { ObjectIndex, ObjectIndexEntry } from "./blob-index.js";
import type { JsonMember } from "./json-part-scanner.js";

/** Longer keys are not indexed. In UTF-16 units, escapes resolved. */
export const MAX_INDEXED_KEY_UNITS = 1024;
/**
 * What may be held while members are added, as `heldSize` counts: about 30,000 short keys, more than
 * an index can list. To choose among them all at once takes a few milliseconds.
 */
const MAX_HELD_SIZE = 1_179_648;
/** After there were too many so much is held: choosing is rare then, and an index still filled. */
const KEPT_SHARE = 0.8;

/**
 * Collects the members of an object within a bound of memory. When there are too many, those with
 * small values go: they are quick to scan over. A key that is listed at all is listed with its last
 * occurrence, the one that counts.
 */
export class MemberIndexer {
  readonly #maxHeldSize: number;
  #entries: ObjectIndexEntry[] = [];
  #heldSize = 0;
  #memberCount = 0;
  /** Once some had to go: what has a value no larger than this goes at once. */
  #goneMagnitude = -1;
  #heldKeys = new Set<string>();
  /** Members seen by magnitude of their values, those that went included. */
  readonly #seenCounts = new Float64Array(MAGNITUDE_COUNT);
  /** Keys that are held, and have come again in a member that is not. */
  readonly #overtaken = new Set<string>();

  constructor(maxHeldSize: number = MAX_HELD_SIZE) {
    this.#maxHeldSize = maxHeldSize;
  }

  /** Members seen, duplicates included. */
  get memberCount(): number {
    return this.#memberCount;
  }

  /** Whether all members are still held. */
  get hasAll(): boolean {
    return this.#entries.length === this.#memberCount;
  }

  add({ key, start, end }: JsonMember): void {
    this.#memberCount++;
    if (key === undefined) return;
    const magnitude = magnitudeOf(end - start);
    this.#seenCounts[magnitude] = (this.#seenCounts[magnitude] ?? 0) + 1;
    const hasGone = this.#goneMagnitude >= 0;
    if (hasGone && magnitude <= this.#goneMagnitude) {
      if (this.#heldKeys.has(key)) this.#overtaken.add(key);
      return;
    }
    const entry = { key, start, end };
    this.#entries.push(entry);
    this.#heldSize += heldSize(entry);
    if (hasGone) {
      this.#heldKeys.add(key);
      this.#overtaken.delete(key);
    }
    if (this.#heldSize > this.#maxHeldSize) this.#letGo();
  }

  /**
   * The index, with entries of at most `maxSize` in all, as `sizeOf` counts. Of values alike in size
   * none is listed if less than half of them would be: most of their keys would have to be searched
   * for all the same, and an index is read whole before the first answer.
   */
  finish(
    maxSize: number,
    sizeOf: (entry: ObjectIndexEntry) => number,
  ): Pick<ObjectIndex, "complete" | "entries"> {
    this.#dropOvertaken();
    const { entries } = keepWithin(this.#entries, maxSize, sizeOf, this.#seenCounts);
    return { complete: entries.length === this.#memberCount, entries };
  }

  #letGo(): void {
    this.#dropOvertaken();
    const kept = keepWithin(this.#entries, this.#maxHeldSize * KEPT_SHARE, heldSize);
    this.#entries = kept.entries;
    this.#goneMagnitude = Math.max(this.#goneMagnitude, kept.goneMagnitude);
    this.#heldSize = kept.entries.reduce((sum, entry) => sum + heldSize(entry), 0);
    this.#heldKeys = new Set(kept.entries.map(({ key }) => key));
  }

  #dropOvertaken(): void {
    if (this.#overtaken.size === 0) return;
    this.#entries = this.#entries.filter(({ key }) => !this.#overtaken.has(key));
    this.#overtaken.clear();
  }
}

function heldSize(entry: ObjectIndexEntry): number {
  return entry.key.length + 32;
}

/** Bits of a size, from 1: sizes of one magnitude are taken for alike. */
function magnitudeOf(size: number): number {
  return size < 2 ** 31 ? 32 - Math.clz32(size) : 64 - Math.clz32(size / 2 ** 32);
}

/** No size has more bits than 64. */
const MAGNITUDE_COUNT = 65;

interface Kept {
  /** The entries with the biggest values that fit, in their order; among similar ones the first. */
  readonly entries: ObjectIndexEntry[];
  /** That of the biggest value that did not fit; 0 where all fit. */
  readonly goneMagnitude: number;
}

/** @param seenCounts how many there were of each magnitude, for keeping most of them or none */
function keepWithin(
  entries: ObjectIndexEntry[],
  maxSize: number,
  sizeOf: (entry: ObjectIndexEntry) => number,
  seenCounts?: Float64Array,
): Kept {
  const byMagnitude: number[][] = Array.from({ length: MAGNITUDE_COUNT }, () => []);
  for (const [position, { start, end }] of entries.entries()) {
    byMagnitude[magnitudeOf(end - start)]?.push(position);
  }
  const kept = new Uint8Array(entries.length);
  let room = maxSize;
  for (let magnitude = MAGNITUDE_COUNT - 1; magnitude >= 0; magnitude--) {
    const positions = byMagnitude[magnitude] ?? [];
    const sizes = positions.map((position) => sizeOf(entries[position] as ObjectIndexEntry)); // within
    const wanted = sizes.reduce((sum, size) => sum + size, 0);
    const seenCount = seenCounts?.[magnitude] ?? 0;
    const isMostlyOut = wanted * seenCount > 2 * room * positions.length;
    for (const [i, position] of positions.entries()) {
      room -= sizes[i] as number; // as long as positions
      if (isMostlyOut || room < 0) {
        return { entries: withoutOvertaken(entries, kept), goneMagnitude: magnitude };
      }
      kept[position] = 1;
    }
  }
  return { entries, goneMagnitude: 0 };
}

/** The kept entries without those whose key occurs again in one that goes: they are not its last. */
function withoutOvertaken(
  entries: readonly ObjectIndexEntry[],
  kept: Uint8Array,
): ObjectIndexEntry[] {
  const gone = new Set<string>();
  for (let position = entries.length - 1; position >= 0; position--) {
    const { key } = entries[position] as ObjectIndexEntry; // within
    if (gone.has(key)) kept[position] = 0;
    else if (kept[position] === 0) gone.add(key);
  }
  return entries.filter((_, position) => kept[position] === 1);
}
