import fc from "fast-check";

/** Where bytes are cut: sizes of pieces, over and over. */
export const pieceSizes: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constant([1]),
  fc.constant([Infinity]),
  fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
);

/**
 * Gives out the bytes in pieces, each in the same buffer, which is spoilt in between: what a
 * consumer keeps of a piece without copying shows. A Buffer, of which `slice` is no copy.
 */
export function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  const buffer = Buffer.alloc(bytes.length);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const piece = bytes.subarray(at, at + Math.max(1, sizes[turn % sizes.length] ?? 1));
    buffer.fill(0x3f);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
    at += piece.length;
  }
}
