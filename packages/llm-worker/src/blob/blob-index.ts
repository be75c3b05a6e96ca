import type { Lookup } from "./lookup.js";
import type { SortedKeys } from "./sorted-keys.js";

/**
 * Sparse positions inside one blob, made while it is written, so that a part can be found without
 * reading what lies before it. At most 1% of the payload; absent for small blobs, where scanning
 * is cheaper than a second file.
 *
 * Its lists are looked into: those of an encoded index are read, and checked, where an answer needs
 * them. A look may therefore throw a `CorruptIndexError`.
 */
export type BlobIndex = TextIndex | ArrayIndex | ObjectIndex;

/** Every `stride`-th line of a text: `offsets.at(i)` is the byte where line `i * stride` (0-based) begins. */
export interface TextIndex extends SparsePositions {
  readonly type: "text";
  /** The same for the entries of NDJSON that has blank lines; without, they are counted as the lines. */
  readonly entries?: SparsePositions | undefined;
}

/** Every `stride`-th place: `offsets.at(i)` is the byte where number `i * stride` begins. */
export interface SparsePositions {
  readonly stride: number;
  readonly offsets: Lookup<number>;
}

/** Places in an array and in what is nested in it. */
export interface ArrayIndex {
  readonly type: "json_array";
  /** The array itself, then the large arrays and objects in it, in order of their beginning. */
  readonly parts: PartList;
}

/** Places in an object and in what is nested in it. */
export interface ObjectIndex {
  readonly type: "json_object";
  /** All members, in order of appearance; absent where they are too many. */
  readonly members?: MemberList | undefined;
  /** The object itself, then the large arrays and objects in it, in order of their beginning. */
  readonly parts: PartList;
}

/** The members of an object, duplicate keys included. */
export interface MemberList extends Lookup<ObjectIndexEntry> {
  /** The last member of this key, the one that counts for `JSON.parse`. */
  last(key: string): ObjectIndexEntry | undefined;
}

/** A member of an object, and where its value is. */
export interface ObjectIndexEntry {
  readonly key: string;
  /** Byte where the value begins. */
  readonly start: number;
  /** Byte after the value. */
  readonly end: number;
}

/** Large arrays and objects. */
export interface PartList extends Lookup<PartIndex> {
  /** Where each of them begins. */
  readonly starts: Lookup<number>;
}

/** A large array or object, and places in it. */
export type PartIndex = ArrayPart | ObjectPart;

interface LargePart {
  readonly start: number;
  readonly end: number;
  /** How many elements or members there are. */
  readonly count: number;
  /**
   * In an array at least so many bytes are from one checkpoint to the next; in an object a value of as
   * many is followed by one.
   */
  readonly spacing: number;
  /** Checkpoints: an element or member begins there, perhaps after white space; a comma is before it. */
  readonly offsets: Lookup<number>;
}

/** A large array, and places in it. */
export interface ArrayPart extends LargePart {
  readonly type: "array";
  /** Which element, from 0 on, begins at each checkpoint. */
  readonly numbers: Lookup<number>;
}

/** A large object, and places in it. */
export interface ObjectPart extends LargePart {
  readonly type: "object";
  /** Of the members from each checkpoint to the next; absent where all are listed. */
  readonly blocks?: KeyBlocks | undefined;
}

/**
 * Tells which blocks of members can hold a key: those before the first checkpoint, from one to the next,
 * and behind the last.
 */
export interface KeyBlocks {
  /** Of most blocks, if they are in an order: where each of them begins. */
  readonly sorted: SortedKeys;
  /** Positions of the other blocks, increasing; what follows is of these. */
  readonly loose: Lookup<number>;
  /** Of each block, its first and its last key in an order. */
  readonly bounds: KeyBoundRows;
  /** The same for every `BLOCKS_PER_GROUP` of them. */
  readonly groupBounds: KeyBoundRows;
  /** How many bits of a filter a key sets. */
  readonly hashCount: number;
  /** Of each block a Bloom filter of its keys; empty where they are too many. */
  readonly filters: Lookup<Uint8Array>;
}

/** Bounds of keys, as `boundsOf` writes them. */
export interface KeyBoundRows {
  /** What all the keys begin with, and the rows leave out. */
  readonly prefix: string;
  readonly rows: Lookup<Uint8Array>;
}
