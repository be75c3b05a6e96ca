import { Buffer } from "node:buffer";
import type { KeyBlocks } from "./blob-index.js";

/** Of the keys of one block. */
export const FILTER_BYTES = 80;
export const FILTER_BITS: number = FILTER_BYTES * 8;
/** So many blocks have bounds in common, so that few have to be looked at one by one. */
export const BLOCKS_PER_GROUP = 16;
/** What is kept of the least and the greatest key of a block. In UTF-16 units. */
const MAX_BOUND_UNITS = 48;
const MAX_BOUND_BYTES = 48;
/** From the first surrogate on, the order of UTF-16 units is not that of UTF-8. */
const UNORDERED = /[\ud800-\uffff]/;
const HIGHEST_UNIT = "\uffff";

/** A block of members that may hold a key. */
export interface FoundBlock {
  readonly block: number;
  /** Whether keys in it may be written with escapes, and so are not found by their bytes. */
  readonly hasEscapes: boolean;
}

/** The blocks, the last first, that may hold a key. The others surely do not. */
export function* blocksWithKey(
  { bounds, groupBounds, hashCount, filters }: KeyBlocks,
  key: string,
): Generator<FoundBlock, void, undefined> {
  const isWithin = boundsTest(key);
  const isIn = filterTest(key, hashCount);
  for (let block = bounds.length - 1; block >= 0; block--) {
    const isLastOfGroup = block === bounds.length - 1 || (block + 1) % BLOCKS_PER_GROUP === 0;
    const group = Math.floor(block / BLOCKS_PER_GROUP);
    if (isLastOfGroup && !isWithin(groupBounds.at(group))) {
      block = group * BLOCKS_PER_GROUP;
      continue;
    }
    const row = bounds.at(block);
    if (isWithin(row) && isIn(filters.at(block))) yield { block, hasEscapes: row?.at(-1) !== 0 };
  }
}

function boundsTest(key: string): (bounds: Uint8Array | undefined) => boolean {
  const wanted = Buffer.alloc(MAX_BOUND_BYTES);
  wanted.set(boundBytes(key));
  return (bounds) => {
    if (bounds === undefined) return true;
    const width = (bounds.length - 1) / 2;
    return (
      wanted.compare(bounds, 0, width, 0, width) >= 0 &&
      wanted.compare(bounds, width, 2 * width, 0, width) <= 0
    );
  };
}

function filterTest(key: string, hashCount: number): (filter: Uint8Array | undefined) => boolean {
  const hash = hashOf(key);
  const bits = Array.from({ length: hashCount }, (_, turn) => bitOf(hash, turn));
  return (filter) => bits.every((bit) => ((filter?.[bit >>> 3] ?? 0xff) & (1 << (bit & 7))) !== 0);
}

/** What is known of some keys. */
interface KeyBounds {
  readonly lowest: string;
  readonly highest: string;
  readonly hasEscapes: boolean;
}

/**
 * A row for each: two byte strings of one length, in order where the keys are, and 1 if keys may be
 * written with escapes. `undefined`: nothing is known.
 */
export function boundsOf(bounds: readonly (KeyBounds | undefined)[]): Uint8Array[] {
  const encoded = bounds.map(
    (block) => block && ([boundBytes(block.lowest), boundBytes(block.highest)] as const),
  );
  const lengths = encoded.flatMap((pair) => pair?.map(({ length }) => length) ?? []);
  const width = lengths.reduce((most, length) => Math.max(most, length), 1);
  return encoded.map((pair, position) => {
    const row = Buffer.alloc(2 * width + 1);
    if (pair === undefined) return row.fill(0xff, width);
    row.set(pair[0]);
    row.set(pair[1], width);
    row[2 * width] = bounds[position]?.hasEscapes === true ? 1 : 0;
    return row;
  });
}

function boundBytes(key: string): Uint8Array {
  const unordered = key.search(UNORDERED);
  const ordered = unordered === -1 ? key : key.slice(0, unordered) + HIGHEST_UNIT;
  return Buffer.from(ordered.slice(0, MAX_BOUND_UNITS)).subarray(0, MAX_BOUND_BYTES);
}

/** Order is kept: a key is not below the lowest if its beginning is not. */
export function boundOf(key: string): string {
  return key.length <= MAX_BOUND_UNITS ? key : key.slice(0, MAX_BOUND_UNITS);
}

/** FNV-1a, with the bits mixed as murmur3 does at its end. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The bit that a hash sets in each turn: two halves of it, added up. */
export function bitOf(hash: number, turn: number): number {
  return (hash + turn * ((hash >>> 16) | 1)) % FILTER_BITS;
}
