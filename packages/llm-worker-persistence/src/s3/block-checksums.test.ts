import fc from "fast-check";
import { expect, test } from "vitest";
import { BLOCK_BYTES, BlockChecksumBuilder, verifyBlocks, wholeBlocks } from "./block-checksums.js";

const bytes = Uint8Array.from(
  { length: 3 * BLOCK_BYTES + 777 },
  (_, at) => (at * 7 + (at >> 8)) % 256,
);

function checksumsOf(...pieces: readonly Uint8Array[]): Uint32Array {
  const builder = new BlockChecksumBuilder();
  for (const piece of pieces) builder.write(piece);
  return builder.finish();
}

test("the checksums do not depend on how the bytes were cut", () => {
  const whole = checksumsOf(bytes);
  expect(whole).toHaveLength(4);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), (cuts) => {
      const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expect(checksumsOf(...pieces)).toEqual(whole);
    }),
  );
});

test("whole blocks around any range are verified, and any changed bit is found", () => {
  const checksums = checksumsOf(bytes);
  const place = fc.nat({ max: bytes.length - 1 });
  fc.assert(
    fc.property(place, place, place, fc.nat({ max: 7 }), (a, b, place3, bit) => {
      const range = wholeBlocks(Math.min(a, b), Math.max(a, b) + 1, bytes.length);
      const part = bytes.slice(range.start, range.end);
      expect(() => verifyBlocks(checksums, range.start, part)).not.toThrow();
      const at = place3 % part.length;
      part[at] = (part[at] ?? 0) ^ (1 << bit);
      expect(() => verifyBlocks(checksums, range.start, part)).toThrow("checksum");
    }),
  );
});

test("no bytes have no checksums", () => {
  expect(checksumsOf()).toHaveLength(0);
  expect(() => verifyBlocks(checksumsOf(), 0, new Uint8Array())).not.toThrow();
});
