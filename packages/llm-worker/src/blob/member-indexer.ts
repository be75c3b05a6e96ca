import type { ObjectIndex, ObjectIndexEntry } from "./blob-index.js";
import type { JsonMember } from "./json-part-scanner.js";

/** Longer keys are not indexed. In UTF-16 units, escapes resolved. */
export const MAX_INDEXED_KEY_UNITS = 1024;
/** What may be held while members are added, as `heldSize` counts: about 50,000 short keys. */
const MAX_HELD_SIZE = 2_097_152;

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
    const entry = { key, start, end };
    this.#entries.push(entry);
    this.#heldSize += heldSize(entry);
    if (this.#heldSize <= this.#maxHeldSize) return;
    this.#entries = keepWithin(this.#entries, this.#maxHeldSize / 2, heldSize);
    this.#heldSize = this.#entries.reduce((sum, held) => sum + heldSize(held), 0);
  }

  /** The index, with entries of at most `maxSize` in all, as `sizeOf` counts. */
  finish(
    maxSize: number,
    sizeOf: (entry: ObjectIndexEntry) => number,
  ): Pick<ObjectIndex, "complete" | "entries"> {
    const entries = keepWithin(this.#entries, maxSize, sizeOf);
    return { complete: entries.length === this.#memberCount, entries };
  }
}

function heldSize(entry: ObjectIndexEntry): number {
  return entry.key.length + 32;
}

/**
 * The entries with the biggest values that fit, in their order; among similar ones the first, or none
 * if less than half of them fit: most of their keys would have to be searched for all the same, and
 * an index is read whole before the first answer.
 */
function keepWithin(
  entries: readonly ObjectIndexEntry[],
  maxSize: number,
  sizeOf: (entry: ObjectIndexEntry) => number,
): ObjectIndexEntry[] {
  const similar = new Map<number, number[]>();
  for (const [position, { start, end }] of entries.entries()) {
    const magnitude = Math.floor(Math.log2(end - start));
    const positions = similar.get(magnitude);
    if (positions === undefined) similar.set(magnitude, [position]);
    else positions.push(position);
  }
  const kept = new Uint8Array(entries.length);
  let room = maxSize;
  for (const [, positions] of [...similar].sort(([one], [other]) => other - one)) {
    const sizes = positions.map((position) => sizeOf(entries[position] as ObjectIndexEntry)); // within
    const wanted = sizes.reduce((sum, size) => sum + size, 0);
    if (wanted > 2 * room) break;
    for (const [i, position] of positions.entries()) {
      room -= sizes[i] as number; // as long as positions
      if (room < 0) return withoutOvertaken(entries, kept);
      kept[position] = 1;
    }
  }
  return withoutOvertaken(entries, kept);
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
