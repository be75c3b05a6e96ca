/**
 * Sparse positions inside one blob, made while it is written, so that a part can be found without
 * reading what lies before it. At most 1% of the payload; absent for small blobs, where scanning
 * is cheaper than a second file.
 */
export type BlobIndex = TextIndex | ArrayIndex | ObjectIndex;

/** Every `stride`-th line of a text: `offsets[i]` is the byte where line `i * stride` (0-based) begins. */
export interface TextIndex extends SparsePositions {
  readonly type: "text";
  /** The same for the entries of NDJSON that has blank lines; without, they are counted as the lines. */
  readonly entries?: SparsePositions | undefined;
}

export interface SparsePositions {
  readonly stride: number;
  readonly offsets: Float64Array;
}

/** Places in an array and in what is nested in it. */
export interface ArrayIndex {
  readonly type: "json_array";
  /** The array itself, then the large arrays and objects in it, in order of their beginning. */
  readonly parts: readonly PartIndex[];
}

/**
 * Keys of an object. `entries` are in order of appearance. With `complete: false` the object has
 * more keys than were kept (the 1% limit): a key that is not listed has to be looked for. A key
 * that is listed is listed with its last occurrence, the one that counts for `JSON.parse`.
 */
export interface ObjectIndex {
  readonly type: "json_object";
  readonly complete: boolean;
  readonly entries: readonly ObjectIndexEntry[];
  /** The object itself, then the large arrays and objects in it, in order of their beginning. */
  readonly parts: readonly PartIndex[];
}

export interface ObjectIndexEntry {
  readonly key: string;
  /** Byte where the value begins. */
  readonly start: number;
  /** Byte after the value. */
  readonly end: number;
}

/**
 * A large array or object, and checkpoints in it: element or member `numbers[i]` (0-based) begins,
 * perhaps after white space, at byte `offsets[i]`, which follows a comma. From one checkpoint to the
 * next are at least `spacing` bytes; a value of as many is followed by one.
 */
export interface PartIndex {
  readonly type: "array" | "object";
  readonly start: number;
  readonly end: number;
  /** How many elements or members there are. */
  readonly count: number;
  readonly spacing: number;
  readonly numbers: Float64Array;
  readonly offsets: Float64Array;
  /** Objects: what is known of the keys of each block, block `i` being what ends at checkpoint `i`. */
  readonly blocks?: KeyBlocks | undefined;
}

/** Tells which blocks of members can hold a key. */
export interface KeyBlocks {
  /** How many bits of its filter a key sets. */
  readonly hashCount: number;
  /** One more than there are checkpoints. `undefined`: nothing is known, it may hold any key. */
  readonly blocks: readonly (KeyBlock | undefined)[];
}

export interface KeyBlock {
  /** The first and the last key of the block in order of UTF-16 units, only their beginnings. */
  readonly lowest: string;
  readonly highest: string;
  /** A Bloom filter of the keys; absent where they are too many for it. */
  readonly filter?: Uint8Array | undefined;
}
