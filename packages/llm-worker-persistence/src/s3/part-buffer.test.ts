import fc from "fast-check";
import { expect, test } from "vitest";
import { PartBuffer } from "./part-buffer.js";

const PART_BYTES = 50_000;

test("what goes in comes out in parts of one size, whatever the pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 120_000 }), { maxLength: 8 }), (sizes) => {
      const buffer = new PartBuffer(PART_BYTES);
      const written: Uint8Array[] = [];
      const parts: Uint8Array[] = [];
      for (const [index, size] of sizes.entries()) {
        const piece = new Uint8Array(size).fill(index + 1);
        written.push(piece);
        for (let rest = piece; rest.length > 0;) {
          if (buffer.isFull) parts.push(buffer.release());
          rest = rest.subarray(buffer.take(rest));
        }
      }
      expect(parts.every((part) => part.length === PART_BYTES)).toBe(true);
      parts.push(buffer.release());
      expect(Buffer.compare(Buffer.concat(parts), Buffer.concat(written))).toBe(0);
    }),
  );
});

test("a little takes a little memory", () => {
  const buffer = new PartBuffer(8 * 1024 * 1024);
  buffer.take(new Uint8Array(100));
  expect(buffer.bytes.buffer.byteLength).toBeLessThanOrEqual(16 * 1024);
});
