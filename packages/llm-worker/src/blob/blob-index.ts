/**
 * Sparse positions inside one blob, made while it is written, so that a part can be found without
 * reading what lies before it. At most 1% of the payload; absent for small blobs, where scanning
 * is cheaper than a second file.
 */
export type BlobIndex = TextIndex | ArrayIndex | ObjectIndex;

/** Every `stride`-th line of a text: `offsets[i]` is the byte where line `i * stride` (0-based) begins. */
export interface TextIndex {
  readonly type: "text";
  readonly stride: number;
  readonly offsets: Float64Array;
}

/** Every `stride`-th element of an array: `offsets[i]` is the byte where element `i * stride` begins. */
export interface ArrayIndex {
  readonly type: "json_array";
  readonly stride: number;
  readonly offsets: Float64Array;
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
}

export interface ObjectIndexEntry {
  readonly key: string;
  /** Byte where the value begins. */
  readonly start: number;
  /** Byte after the value. */
  readonly end: number;
}
