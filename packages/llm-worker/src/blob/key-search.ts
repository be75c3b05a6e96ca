import { Buffer } from "node:buffer";
import type { KeyBlocks, KeyBoundRows } from "./blob-index.js";
import { asBuffer } from "./bytes.js";
import type { KeyBeginning } from "./key-batch.js";
import { type Lookup, lastAtOrBefore } from "./lookup.js";
import { FILTER_BYTES } from "./scan-memory.js";

/** Of the keys of one block. */
export const FILTER_BITS: number = FILTER_BYTES * 8;
/** So many blocks have bounds in common, so that few have to be looked at one by one. */
export const BLOCKS_PER_GROUP = 32;
/** What is kept of the first and the last key of a block. In UTF-16 units. */
const MAX_BOUND_UNITS = 48;
const MAX_BOUND_BYTES = 48;
/** From the first surrogate on, the order of UTF-16 units is not that of UTF-8. */
const UNORDERED = /[\ud800-\uffff]/;
const MAX_ORDERED_UNIT = 0xd7ff;
const HIGHEST_UNIT = "\uffff";

// A row of bounds: flags, 32 bits for the lengths of keys, and two byte strings of one length.
const LENGTHS_AT = 1;
const FIRST_AT = 5;
const HAS_ESCAPES = 1;
const IS_BY_LENGTH = 2;

/** A block of members that may hold a key. */
export interface FoundBlock {
  readonly block: number;
  /** Whether keys in it may be written with escapes, and so are not found by their bytes. */
  readonly hasEscapes: boolean;
}

/** The blocks, the last first, that may hold a key. The others surely do not. */
export function* blocksWithKey(
  blocks: KeyBlocks,
  key: string,
): Generator<FoundBlock, void, undefined> {
  let inOrder = sortedBlock(blocks, key);
  for (const found of looseBlocks(blocks, key)) {
    if (inOrder !== undefined && inOrder.block > found.block) {
      yield inOrder;
      inOrder = undefined;
    }
    yield found;
  }
  if (inOrder !== undefined) yield inOrder;
}

function sortedBlock({ sorted, loose }: KeyBlocks, key: string): FoundBlock | undefined {
  const found = sorted.find(key);
  if (found === undefined) return undefined;
  // How many sorted blocks are before each that is loose.
  const sortedBefore: Lookup<number> = {
    length: loose.length,
    at: (position) => (loose.at(position) ?? 0) - position,
  };
  const { position, hasEscapes } = found;
  return { block: position + lastAtOrBefore(position, sortedBefore) + 1, hasEscapes };
}

function* looseBlocks(
  { loose, bounds, groupBounds, hashCount, filters }: KeyBlocks,
  key: string,
): Generator<FoundBlock, void, undefined> {
  const isWithin = boundsTest(key, bounds.prefix);
  const isGroupWithin = boundsTest(key, groupBounds.prefix);
  const isIn = filterTest(key, hashCount);
  const last = loose.length - 1;
  for (let at = last; at >= 0; at--) {
    const isLastOfGroup = at === last || (at + 1) % BLOCKS_PER_GROUP === 0;
    const group = Math.floor(at / BLOCKS_PER_GROUP);
    if (isLastOfGroup && !isGroupWithin(groupBounds.rows.at(group))) {
      at = group * BLOCKS_PER_GROUP;
      continue;
    }
    const row = bounds.rows.at(at);
    if (!isWithin(row) || !isIn(filters.at(at))) continue;
    const hasEscapes = row === undefined || ((row[0] ?? 0) & HAS_ESCAPES) !== 0;
    yield { block: loose.at(at) ?? 0, hasEscapes };
  }
}

/** Compares strings of a unit a byte, which takes a fraction of the time of parts of a `Buffer`. */
function boundsTest(key: string, prefix: string): (bounds: Uint8Array | undefined) => boolean {
  if (!key.startsWith(prefix)) return () => false;
  const rest = key.slice(prefix.length);
  const padded = (bound: string): string =>
    latin1(boundBytes(bound, prefix)).padEnd(MAX_BOUND_BYTES, "\0");
  const [wantedByText, wantedByLength] = [padded(rest), padded(lengthUnit(key) + rest)];
  const length = key.length % LENGTH_BITS;
  const [lengthsAt, lengthBit] = [LENGTHS_AT + (length >>> 3), 1 << (length & 7)];
  return (bounds) => {
    if (bounds === undefined) return true;
    const [flags = 0, lengths = 0] = [bounds[0], bounds[lengthsAt]];
    if ((lengths & lengthBit) === 0) return false;
    const row = latin1(bounds);
    const width = (row.length - FIRST_AT) / 2;
    const wanted = ((flags & IS_BY_LENGTH) === 0 ? wantedByText : wantedByLength).slice(0, width);
    return row.slice(FIRST_AT, FIRST_AT + width) <= wanted && wanted <= row.slice(FIRST_AT + width);
  };
}

function latin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString("latin1");
}

function filterTest(key: string, hashCount: number): (filter: Uint8Array | undefined) => boolean {
  const hash = hashOf(key);
  const bits = Array.from({ length: hashCount }, (_, turn) => bitOf(hash, turn));
  return (filter) => bits.every((bit) => ((filter?.[bit >>> 3] ?? 0xff) & (1 << (bit & 7))) !== 0);
}

/** What is known of some keys. */
export interface KeyBounds {
  /** The first and the last as {@link byText} gives them. */
  readonly lowest: string;
  readonly highest: string;
  /** The first and the last as {@link byLength} gives them. */
  readonly shortest: string;
  readonly longest: string;
  /** Which lengths they have: a bit for each, modulo {@link LENGTH_BITS}. */
  readonly lengths: number;
  /** Whether any is written with escapes. */
  readonly hasEscapes: boolean;
}

export const LENGTH_BITS = 32;

/** What stands for a key in the order of UTF-16 units: its beginning. */
export function byText(key: string): string {
  return key.length <= MAX_BOUND_UNITS ? key : key.slice(0, MAX_BOUND_UNITS);
}

/** The same where shorter keys come first, as names that end with a number do. */
export function byLength(key: KeyBeginning): string {
  return lengthUnit(key) + byText(key.text);
}

/** No control, which would have to be escaped. */
function lengthUnit(key: { readonly length: number }): string {
  return String.fromCharCode(Math.min(FIRST_UNIT + key.length, MAX_ORDERED_UNIT));
}

/** A small number is written as a character from this on. */
export const FIRST_UNIT = 0x20;

/**
 * A row for each of the blocks at these positions. The order is by length where that keeps a block from those
 * beside it, else by text. `undefined`: nothing is known.
 */
export function boundsOf(
  all: readonly (KeyBounds | undefined)[],
  positions: readonly number[] = [...all.keys()],
): KeyBoundRows {
  const blocks = positions.map((at) => all[at]);
  const prefix = commonPrefix(blocks);
  const ranges = positions.map((at) => {
    const block = all[at];
    return block && encodeRange(block, prefix, all[at - 1], all[at + 1]);
  });
  const width = ranges.reduce(
    (most, range) => Math.max(most, range?.first.length ?? 0, range?.last.length ?? 0),
    1,
  );
  const rows = blocks.map((block, at) => {
    const row = Buffer.alloc(FIRST_AT + 2 * width);
    const range = ranges[at];
    if (block === undefined || range === undefined) {
      return row.fill(0xff).fill(0, FIRST_AT, FIRST_AT + width);
    }
    const { first, last, isByLength } = range;
    row[0] = (block.hasEscapes ? HAS_ESCAPES : 0) | (isByLength ? IS_BY_LENGTH : 0);
    row.writeInt32LE(block.lengths, LENGTHS_AT);
    row.set(first, FIRST_AT);
    row.set(last, FIRST_AT + width);
    return row;
  });
  return { prefix, rows };
}

/** What all keys begin with, as the first and the last do; nothing where of a block nothing is known. */
function commonPrefix(blocks: readonly (KeyBounds | undefined)[]): string {
  const first = blocks[0]?.lowest ?? "";
  let length = Math.min(first.length, MAX_PREFIX_UNITS);
  for (const block of blocks) {
    for (const key of [block?.lowest ?? "", block?.highest ?? ""]) {
      while (!key.startsWith(first.slice(0, length))) length--;
    }
  }
  const unordered = first.search(UNORDERED);
  return first.slice(0, unordered === -1 ? length : Math.min(length, unordered));
}

/** Something has to be left of a bound that was cut. */
const MAX_PREFIX_UNITS = 32;

interface EncodedRange {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly isByLength: boolean;
}

function encodeRange(
  block: KeyBounds,
  prefix: string,
  before: KeyBounds | undefined,
  after: KeyBounds | undefined,
): EncodedRange {
  const isByLength = !doOverlap(block, before) && !doOverlap(block, after);
  const encode = (bound: string): Uint8Array =>
    isByLength
      ? boundBytes(bound.charAt(0) + bound.slice(1 + prefix.length), prefix)
      : boundBytes(bound.slice(prefix.length), prefix);
  const [first, last] = isByLength
    ? [block.shortest, block.longest]
    : [block.lowest, block.highest];
  return { first: encode(first), last: encode(last), isByLength };
}

/** By length. */
function doOverlap(one: KeyBounds, other: KeyBounds | undefined): boolean {
  return other !== undefined && one.shortest <= other.longest && other.shortest <= one.longest;
}

/**
 * The bytes of a bound behind the prefix. All end at the same length at the latest, and what was cut
 * has that length: so a cut key is not beyond its cut bound.
 */
function boundBytes(bound: string, prefix: string): Uint8Array {
  const unordered = bound.search(UNORDERED);
  const ordered = unordered === -1 ? bound : bound.slice(0, unordered) + HIGHEST_UNIT;
  return Buffer.from(ordered.slice(0, MAX_BOUND_UNITS)).subarray(
    0,
    MAX_BOUND_BYTES - prefix.length,
  );
}

/** FNV-1a, with the bits mixed as murmur3 does at its end. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The bit that a hash sets in each turn: two halves of it, added up. `wasm/key-filter.ts` does the same. */
function bitOf(hash: number, turn: number): number {
  return (hash + turn * ((hash >>> 16) | 1)) % FILTER_BITS;
}
