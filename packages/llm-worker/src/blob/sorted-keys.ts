import { Buffer } from "node:buffer";
import { CheckedBytes } from "./checked-bytes.js";
import { IndexCursor } from "./index-cursor.js";
import { byLength, byText, FIRST_UNIT, type KeyBounds } from "./key-search.js";
import type { Lookup } from "./lookup.js";
import { readNumbers, writeNumbers } from "./packed-numbers.js";
import { escapeText, unescapeText } from "./text-codec.js";
import { VarintWriter } from "./varint.js";

/** So many blocks share a key that is written whole; of the others is written what differs from the one before. */
const GROUP_LENGTH = 32;
/** Stands between the blocks of a group, and in no key: it is escaped. */
const SEPARATOR = "\n";
const HAS_ESCAPES = 1;

/** Which of the blocks in order may hold a key. */
export interface SortedBlock {
  readonly position: number;
  readonly hasEscapes: boolean;
}

/**
 * Where blocks of keys begin of which each is behind the one before: of each a text that is above all
 * keys of that, and not above its own. A few bytes a block, in the form in which an index has them.
 */
export class SortedKeys {
  readonly #bytes: CheckedBytes;
  readonly #start: number;
  readonly #end: number;
  readonly #isByLength: boolean;
  /** The last key of all. */
  readonly #last: string;
  /** Where each group begins, behind the first. */
  readonly #groups: Lookup<number>;
  readonly #groupsAt: number;

  /** Finds what {@link encoded} gives. */
  constructor(from: IndexCursor) {
    const byteCount = from.uint();
    this.#bytes = from.bytes;
    this.#start = from.position;
    this.#end = this.#start + byteCount;
    if (byteCount === 0) {
      this.#isByLength = false;
      this.#last = "";
      this.#groups = [];
    } else {
      this.#isByLength = from.uint() === 1;
      this.#last = unescapeText(from.text());
      this.#groups = readNumbers(from);
    }
    this.#groupsAt = from.position;
    from.skip(this.#end - from.position);
  }

  /** Of those of the blocks that are in order. */
  static of(blocks: readonly (KeyBounds | undefined)[], order: OrderedBlocks): SortedKeys {
    const written = encodeBlocks(sortedBlocks(blocks, order), order.isByLength);
    const all = new VarintWriter();
    all.uint(written.length);
    all.raw(written);
    return new SortedKeys(new IndexCursor(new CheckedBytes(all.bytes)));
  }

  /** As it is written. */
  get encoded(): Uint8Array {
    return this.#bytes.slice(this.#start, this.#end);
  }

  get encodedSize(): number {
    return this.#end - this.#start;
  }

  /** The block that may hold the key; the others surely do not. */
  find(key: string): SortedBlock | undefined {
    const wanted = this.#isByLength ? byLength({ text: key, length: key.length }) : byText(key);
    const group = wanted > this.#last ? -1 : this.#lastGroupAtOrBefore(wanted);
    if (group < 0) return undefined;
    const [prefixUnits = "", ...blocks] = this.#groupAt(group).split(SEPARATOR);
    let first = "";
    let found: SortedBlock | undefined;
    for (const [at, block] of blocks.entries()) {
      const head = numberOf(block);
      first = first.slice(0, head >>> 1) + unescapeText(block.slice(1));
      if (first > wanted) break;
      found = { position: group * GROUP_LENGTH + at, hasEscapes: (head & HAS_ESCAPES) !== 0 };
      if (at > 0) continue;
      const text = this.#isByLength ? first.slice(1) : first;
      if (!key.startsWith(text.slice(0, numberOf(prefixUnits)))) return undefined;
    }
    return found;
  }

  #lastGroupAtOrBefore(wanted: string): number {
    let low = -1;
    let high = this.#groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firstOf(this.#groupAt(middle)) <= wanted) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #groupAt(group: number): string {
    const start = this.#groupsAt + (this.#groups.at(group) ?? 0);
    const next = this.#groups.at(group + 1);
    const end = next === undefined ? this.#end : this.#groupsAt + next;
    return this.#bytes.slice(start, end).toString();
  }
}

/** The first key of a group, which is written whole. */
function firstOf(group: string): string {
  const start = group.indexOf(SEPARATOR) + SEPARATOR.length;
  const next = group.indexOf(SEPARATOR, start);
  // Behind the unit that says how much of a key before it stays.
  return unescapeText(group.slice(start + 1, next === -1 ? undefined : next));
}

/** A block in order. */
interface Sorted {
  readonly bounds: KeyBounds;
  readonly first: string;
  readonly last: string;
  /** The last key of a block before it, below its first. */
  readonly before: string;
}

function sortedBlocks(
  blocks: readonly (KeyBounds | undefined)[],
  { isByLength, loose }: OrderedBlocks,
): readonly Sorted[] {
  const sorted: Sorted[] = [];
  let looseAt = 0;
  let lastInOrder = "";
  let lastBeside = "";
  // Without iterators, here and below: V8 interprets what runs once.
  for (let position = 0; position < blocks.length; position++) {
    const bounds = blocks[position];
    const isLoose = position === loose[looseAt];
    if (isLoose) looseAt++;
    if (bounds === undefined) continue;
    const first = isByLength ? bounds.shortest : bounds.lowest;
    const last = isByLength ? bounds.longest : bounds.highest;
    if (!isLoose) {
      const isBesideNearer = lastBeside > lastInOrder && lastBeside < first;
      sorted.push({ bounds, first, last, before: isBesideNearer ? lastBeside : lastInOrder });
      lastInOrder = last;
    }
    lastBeside = last;
  }
  return sorted;
}

function encodeBlocks(blocks: readonly Sorted[], isByLength: boolean): Uint8Array {
  const last = blocks.at(-1);
  if (last === undefined) return new Uint8Array();
  const starts: number[] = [];
  const groups = new VarintWriter();
  for (let at = 0; at < blocks.length; at += GROUP_LENGTH) {
    starts.push(groups.bytes.length);
    groups.raw(Buffer.from(groupText(blocks.slice(at, at + GROUP_LENGTH))));
  }
  const all = new VarintWriter();
  all.uint(Number(isByLength));
  all.text(escapeText(last.last));
  writeNumbers(all, starts);
  all.raw(groups.bytes);
  return all.bytes;
}

/** What its keys have in common; and each block: how much of the one before stays, and what follows that. */
function groupText(group: readonly Sorted[]): string {
  const texts = [unitOf(prefixUnitsOf(group))];
  let start = "";
  for (const block of group) {
    // The first is whole: it begins as all of the group do.
    const next = texts.length === 1 ? block.first : separator(block);
    const shared = sharedUnits(start, next);
    const head = unitOf((shared << 1) | (block.bounds.hasEscapes ? HAS_ESCAPES : 0));
    texts.push(head + escapeText(next.slice(shared)));
    start = next;
  }
  return texts.join(SEPARATOR);
}

function unitOf(number: number): string {
  return String.fromCharCode(FIRST_UNIT + number);
}

function numberOf(text: string): number {
  return text.charCodeAt(0) - FIRST_UNIT;
}

/** How much all keys of some blocks have in common. */
function prefixUnitsOf(blocks: readonly Sorted[]): number {
  let prefix = blocks[0]?.bounds.lowest ?? "";
  for (const { bounds } of blocks) {
    while (!bounds.lowest.startsWith(prefix)) prefix = prefix.slice(0, -1);
    while (!bounds.highest.startsWith(prefix)) prefix = prefix.slice(0, -1);
  }
  return prefix.length;
}

/** As short as can be. */
function separator({ before, first }: Sorted): string {
  return first.slice(0, sharedUnits(before, first) + 1);
}

function sharedUnits(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let units = 0;
  while (units < most && one[units] === other[units]) units++;
  return units;
}

/** Blocks in order, each behind the one before, and the others. */
export interface OrderedBlocks {
  readonly isByLength: boolean;
  /** Positions of those that are not in order, increasing. */
  readonly loose: readonly number[];
}

/** The order in which most blocks are, of their keys by text or by length. */
export function orderOf(blocks: readonly (KeyBounds | undefined)[]): OrderedBlocks {
  // A few tell of all: part of what is in order is so too.
  const step = Math.ceil(blocks.length / SAMPLED_BLOCKS);
  const sample = blocks.filter((_, position) => position % step === 0);
  const [byText, byLength] = [looseOf(sample, false).length, looseOf(sample, true).length];
  const isByLength = byLength < byText;
  const isLikely = Math.min(byText, byLength) <= sample.length * MAX_LOOSE_SHARE;
  const loose = isLikely ? looseOf(blocks, isByLength) : [...blocks.keys()];
  return { isByLength, loose };
}

const SAMPLED_BLOCKS = 64;
/** With more, an order tells too little. */
const MAX_LOOSE_SHARE = 0.5;

/** Those that are not in a longest chain of blocks of which each is behind the one before. */
function looseOf(
  blocks: readonly (KeyBounds | undefined)[],
  isByLength: boolean,
): readonly number[] {
  // Of the chains of each length the block that ends the one that ends first; and its last key.
  const ends: number[] = [];
  const endKeys: string[] = [];
  const before = new Int32Array(blocks.length);
  for (let position = 0; position < blocks.length; position++) {
    const block = blocks[position];
    if (block === undefined) continue;
    const first = isByLength ? block.shortest : block.lowest;
    const last = isByLength ? block.longest : block.highest;
    let low = 0;
    // All that is read is within. Most often the block is behind all.
    for (let high = ends.length, middle = high - 1; low < high; middle = (low + high) >>> 1) {
      if ((endKeys[middle] as string) < first) low = middle + 1;
      else high = middle;
    }
    before[position] = ends[low - 1] ?? -1;
    if (low < ends.length && last >= (endKeys[low] as string)) continue;
    ends[low] = position;
    endKeys[low] = last;
  }
  const isLoose = new Uint8Array(blocks.length).fill(1);
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) isLoose[at] = 0; // within
  return [...blocks.keys()].filter((position) => isLoose[position] === 1);
}

/** What a block takes at least. */
export const MIN_SORTED_BYTES = 2;
