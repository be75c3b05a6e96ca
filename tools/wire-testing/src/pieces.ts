/** Pieces of a given length. */
export function* piecesOf(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Pieces that end at these places. */
export function* cutAt(bytes: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const place of places.toSorted((a, b) => a - b)) {
    yield bytes.subarray(start, place);
    start = place;
  }
  yield bytes.subarray(start);
}

/** Pieces as long as these, and what is left. */
export function* inChunks(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const length of lengths) {
    yield bytes.subarray(start, start + length);
    start += length;
  }
  yield bytes.subarray(start);
}
