import type { KeyBlocks } from "./blob-index.js";
import { JsonMachine } from "./json-machine.js";
import type { KeyBatch, KeyBeginning } from "./key-batch.js";
import {
  BLOCKS_PER_GROUP,
  FILTER_BITS,
  type KeyBounds,
  LENGTH_BITS,
  boundsOf,
  byLength,
  byText,
  hashOf,
} from "./key-search.js";
import { FILTER_BYTES } from "./scan-memory.js";
import { MIN_SORTED_BYTES, type OrderedBlocks, orderOf, SortedKeys } from "./sorted-keys.js";

/** What is known of the keys of one block of members while it is collected. */
export interface KeyBlock extends KeyBounds {
  /** A Bloom filter of the keys, its bytes in words; absent where they are too many for it. */
  readonly filter?: Uint32Array | undefined;
}

/** With fewer bits for each key a filter would let most keys through. */
const MIN_BITS_PER_KEY = 1.5;
export const MAX_FILTERED_KEYS: number = Math.floor(FILTER_BITS / MIN_BITS_PER_KEY);
const MAX_HASH_COUNT = 6;
const NO_KEY: KeyBeginning = { text: "", length: 0 };

/** Collects the keys of one block of members after the other. */
export class KeyBlockCollector {
  #keyCount = 0;
  /** Of as many keys as a filter is made of. */
  readonly #hashes = new Uint32Array(MAX_FILTERED_KEYS);
  /** The first and the last key by their text, and by their length. */
  #lowest: string | undefined;
  #highest = "";
  #shortest: KeyBeginning = NO_KEY;
  #longest: KeyBeginning = NO_KEY;
  #lengths = 0;
  /** A key was too long to be read, or its block did not begin with this collector. */
  #isUnknown: boolean;
  #hashCount = 0;
  #hasEscapes = false;

  /** @param extent `part`: keys of the first block have been missed */
  constructor(extent: "whole" | "part") {
    this.#isUnknown = extent === "part";
  }

  /** Of the block that is collected nothing can be told. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** Chosen for the first block, which the others are taken to be like. */
  get hashCount(): number {
    return this.#hashCount;
  }

  /** @param isPlain whether it is written without escapes */
  add(key: string | undefined, isPlain: boolean): void {
    if (!isPlain) this.#hasEscapes = true;
    if (key === undefined) {
      this.#isUnknown = true;
      return;
    }
    const whole: KeyBeginning = { text: key, length: key.length };
    this.#widen(key, key, whole, whole);
    this.#lengths |= 1 << (key.length % LENGTH_BITS);
    if (this.#keyCount < MAX_FILTERED_KEYS) this.#hashes[this.#keyCount] = hashOf(key);
    this.#keyCount++;
  }

  addBatch({ count, lowest, highest, shortest, longest, lengths, hashes }: KeyBatch): void {
    this.#widen(lowest.text, highest.text, shortest, longest);
    this.#lengths |= lengths;
    const hashCount = Math.min(count, MAX_FILTERED_KEYS - this.#keyCount);
    if (hashCount > 0) this.#hashes.set(hashes.subarray(0, hashCount), this.#keyCount);
    this.#keyCount += count;
  }

  /** Ends a block, and begins the next. */
  endBlock(): KeyBlock | undefined {
    const lowest = this.#isUnknown ? undefined : this.#lowest;
    const block = lowest === undefined ? undefined : this.#block(lowest);
    this.#keyCount = 0;
    this.#lengths = 0;
    this.#lowest = undefined;
    this.#isUnknown = this.#hasEscapes = false;
    return block;
  }

  #widen(lowest: string, highest: string, shortest: KeyBeginning, longest: KeyBeginning): void {
    if (this.#lowest === undefined) {
      this.#lowest = lowest;
      this.#highest = highest;
      this.#shortest = shortest;
      this.#longest = longest;
      return;
    }
    if (lowest < this.#lowest) this.#lowest = lowest;
    if (highest > this.#highest) this.#highest = highest;
    if (isShorter(shortest, this.#shortest)) this.#shortest = shortest;
    if (isShorter(this.#longest, longest)) this.#longest = longest;
  }

  #block(lowest: string): KeyBlock {
    return {
      lowest: byText(lowest),
      highest: byText(this.#highest),
      shortest: byLength(this.#shortest),
      longest: byLength(this.#longest),
      lengths: this.#lengths,
      hasEscapes: this.#hasEscapes,
      filter: this.#filter(),
    };
  }

  #filter(): Uint32Array | undefined {
    if (this.#keyCount > MAX_FILTERED_KEYS) return undefined;
    const bitsPerKey = FILTER_BITS / this.#keyCount;
    // The share of bits that are set is best at one half.
    this.#hashCount ||= Math.min(MAX_HASH_COUNT, Math.max(1, Math.round(bitsPerKey * Math.LN2)));
    return JsonMachine.filterOf(this.#hashes.subarray(0, this.#keyCount), this.#hashCount);
  }
}

/** By length, and by text where that is the same. */
function isShorter(one: KeyBeginning, other: KeyBeginning): boolean {
  return one.length < other.length || (one.length === other.length && one.text < other.text);
}

/** Of filters that let more than this share of keys through, nothing is gained. */
const MAX_PASSED_SHARE = 0.6;

/** How blocks are to be written into an index. */
export class BlocksLayout {
  readonly #all: readonly (KeyBlock | undefined)[];
  readonly #order: OrderedBlocks;
  readonly #loose: readonly (KeyBlock | undefined)[];
  readonly #hashCount: number;

  constructor(blocks: readonly (KeyBlock | undefined)[], hashCount: number) {
    this.#all = blocks;
    this.#order = orderOf(blocks);
    this.#loose = this.#order.loose.map((position) => blocks[position]);
    this.#hashCount = areFiltersUseful(this.#loose, hashCount) ? hashCount : 0;
  }

  /** Bytes that they take at least: reckoned, as to lay them out takes much longer. */
  get leastBytes(): number {
    const { loose } = this.#order;
    const step = Math.ceil(loose.length / SAMPLED_BOUNDS);
    const sample = loose.filter((_, at) => at % step === 0);
    const boundsBytes = boundsOf(this.#all, sample).rows.at(0)?.length ?? 0;
    const looseBytes = boundsBytes + (this.#hashCount > 0 ? FILTER_BYTES : 0);
    return (this.#all.length - loose.length) * MIN_SORTED_BYTES + loose.length * looseBytes;
  }

  /** As an index has them. */
  layOut(): KeyBlocks {
    const blocks = this.#loose;
    const groups: (KeyBlock | undefined)[] = [];
    for (let at = 0; at < blocks.length; at += BLOCKS_PER_GROUP) {
      groups.push(blocks.slice(at, at + BLOCKS_PER_GROUP).reduce((one, other) => join(one, other)));
    }
    const { loose } = this.#order;
    return {
      sorted: SortedKeys.of(this.#all, this.#order),
      loose,
      bounds: boundsOf(this.#all, loose),
      groupBounds: boundsOf(groups),
      hashCount: this.#hashCount,
      filters:
        this.#hashCount === 0
          ? []
          : blocks.map((block) => new Uint8Array((block?.filter ?? NO_FILTER).buffer)),
    };
  }
}

/** So many bounds tell how long the others are at least. */
const SAMPLED_BOUNDS = 32;
/** So many filters tell of the others. */
const SAMPLED_FILTERS = 64;

/** Whether filters keep many keys out of most blocks. */
function areFiltersUseful(blocks: readonly (KeyBlock | undefined)[], hashCount: number): boolean {
  if (hashCount === 0 || blocks.length === 0) return false;
  const step = Math.ceil(blocks.length / SAMPLED_FILTERS);
  let passed = 0;
  let count = 0;
  for (let at = 0; at < blocks.length; at += step) {
    passed += shareOfBits(blocks[at]?.filter ?? NO_FILTER) ** hashCount;
    count++;
  }
  return passed <= MAX_PASSED_SHARE * count;
}

/** Lets all keys through. */
const NO_FILTER: Uint32Array = new Uint32Array(FILTER_BYTES / 4).fill(0xffff_ffff);

function shareOfBits(filter: Uint32Array): number {
  let count = 0;
  for (const word of filter) for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count / FILTER_BITS;
}

/** What is known of two blocks taken as one. */
export function joinBlocks(
  one: KeyBlock | undefined,
  other: KeyBlock | undefined,
): KeyBlock | undefined {
  return join(one, other, joinFilters(one?.filter, other?.filter));
}

function joinFilters(
  one: Uint32Array | undefined,
  other: Uint32Array | undefined,
): Uint32Array | undefined {
  if (one === undefined || other === undefined) return undefined;
  const joined = one.slice();
  for (let at = 0; at < joined.length; at++) {
    joined[at] = (joined[at] as number) | (other[at] as number); // both are as long
  }
  return joined;
}

function join(
  one: KeyBlock | undefined,
  other: KeyBlock | undefined,
  filter?: Uint32Array,
): KeyBlock | undefined {
  if (one === undefined || other === undefined) return undefined;
  return {
    lowest: one.lowest < other.lowest ? one.lowest : other.lowest,
    highest: one.highest > other.highest ? one.highest : other.highest,
    shortest: one.shortest < other.shortest ? one.shortest : other.shortest,
    longest: one.longest > other.longest ? one.longest : other.longest,
    lengths: one.lengths | other.lengths,
    hasEscapes: one.hasEscapes || other.hasEscapes,
    filter,
  };
}
