import type { KeyBlock } from "./blob-index.js";

/** A filter takes 0.5% of a block of 16 KiB. */
export const FILTER_BYTES = 80;
const FILTER_BITS = FILTER_BYTES * 8;
/** With fewer bits for each key a filter would let most keys through. */
const MIN_BITS_PER_KEY = 1.5;
const MAX_HASH_COUNT = 6;
/** What is kept of the lowest and the highest key. In UTF-16 units. */
const MAX_BOUND_UNITS = 48;

/** Collects the keys of one block of members after the other. */
export class KeyBlockCollector {
  #hashes: number[] = [];
  #lowest: string | undefined;
  #highest = "";
  /** A key was too long to be read, or its block did not begin with this collector. */
  #isUnknown: boolean;
  #hashCount = 0;

  /** @param extent `part`: keys of the first block have been missed */
  constructor(extent: "whole" | "part") {
    this.#isUnknown = extent === "part";
  }

  /** Chosen for the first block, which the others are taken to be like. */
  get hashCount(): number {
    return this.#hashCount;
  }

  add(key: string | undefined): void {
    if (key === undefined) {
      this.#isUnknown = true;
      return;
    }
    if (this.#lowest === undefined || key < this.#lowest) this.#lowest = key;
    if (key > this.#highest) this.#highest = key;
    this.#hashes.push(hashOf(key));
  }

  /** Ends a block, and begins the next. */
  endBlock(): KeyBlock | undefined {
    const lowest = this.#isUnknown ? undefined : this.#lowest;
    const block = lowest === undefined ? undefined : this.#block(lowest);
    this.#hashes = [];
    this.#lowest = undefined;
    this.#highest = "";
    this.#isUnknown = false;
    return block;
  }

  #block(lowest: string): KeyBlock {
    const bounds = { lowest: boundOf(lowest), highest: boundOf(this.#highest) };
    const bitsPerKey = FILTER_BITS / this.#hashes.length;
    if (bitsPerKey < MIN_BITS_PER_KEY) return bounds;
    // The share of bits that are set is best at one half.
    this.#hashCount ||= Math.min(MAX_HASH_COUNT, Math.max(1, Math.round(bitsPerKey * Math.LN2)));
    const filter = new Uint8Array(FILTER_BYTES);
    for (const hash of this.#hashes) {
      for (let turn = 0; turn < this.#hashCount; turn++) {
        const bit = bitOf(hash, turn);
        filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7)); // within
      }
    }
    return { ...bounds, filter };
  }
}

/** Makes a test of whether a block may hold a key. If not it surely does not. */
export function keyTest(key: string, hashCount: number): (block: KeyBlock | undefined) => boolean {
  const bound = boundOf(key);
  const hash = hashOf(key);
  const bits = Array.from({ length: hashCount }, (_, turn) => bitOf(hash, turn));
  return (block) => {
    if (block === undefined) return true;
    const { lowest, highest, filter } = block;
    if (bound < lowest || bound > highest) return false;
    return bits.every((bit) => ((filter?.[bit >>> 3] ?? 0xff) & (1 << (bit & 7))) !== 0);
  };
}

/** What is known of two blocks taken as one. */
export function joinBlocks(
  one: KeyBlock | undefined,
  other: KeyBlock | undefined,
): KeyBlock | undefined {
  if (one === undefined || other === undefined) return undefined;
  const lowest = one.lowest < other.lowest ? one.lowest : other.lowest;
  const highest = one.highest > other.highest ? one.highest : other.highest;
  const { filter } = other;
  if (one.filter === undefined || filter === undefined) return { lowest, highest };
  const joined = Uint8Array.from(one.filter);
  for (let at = 0; at < joined.length; at++) {
    joined[at] = (joined[at] as number) | (filter[at] as number); // both are FILTER_BYTES long
  }
  return { lowest, highest, filter: joined };
}

/** Order is kept: a key is not below the lowest if its beginning is not. */
function boundOf(key: string): string {
  return key.length <= MAX_BOUND_UNITS ? key : key.slice(0, MAX_BOUND_UNITS);
}

/** FNV-1a, with the bits mixed as murmur3 does at its end. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The bit that a hash sets in each turn: two halves of it, added up. */
function bitOf(hash: number, turn: number): number {
  return (hash + turn * ((hash >>> 16) | 1)) % FILTER_BITS;
}
