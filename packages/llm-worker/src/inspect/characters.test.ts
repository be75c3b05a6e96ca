import fc from "fast-check";
import { expect, test } from "vitest";
import { characterStart, CUT_LOOKAHEAD_BYTES, cutText, decode } from "./characters.js";

test("a character starts where decoding can start", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(200), (text, at) => {
      const bytes = Buffer.from(text);
      const start = characterStart(bytes, Math.min(at, bytes.length));
      expect(decode(bytes.subarray(0, start)) + decode(bytes.subarray(start))).toBe(
        text.toWellFormed(),
      );
    }),
  );
});

test("bytes that are not UTF-8 stand alone", () => {
  expect(characterStart(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80]), 4)).toBe(4);
  expect(characterStart(Buffer.from([0x41, 0x80]), 1)).toBe(1);
  expect(characterStart(Buffer.from([0xc3, 0x80, 0x80]), 2)).toBe(2);
});

test("a cut keeps together what is seen as one character", () => {
  for (const unit of ["👨‍👩‍👧‍👦", "e\u0301", "👍🏽", "한"]) {
    const bytes = Buffer.from(`a${unit.repeat(60)}`);
    const size = Buffer.byteLength(unit);
    for (let limit = size + 1; limit <= bytes.length - CUT_LOOKAHEAD_BYTES; limit++) {
      const length = cutText(bytes, limit, Infinity);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThanOrEqual(limit);
      expect((length - 1) % size).toBe(0);
    }
  }
});

test("a cut ends a line if that leaves enough", () => {
  const bytes = Buffer.from(`${"l".repeat(49)}\n${"m".repeat(200)}`);
  expect(cutText(bytes, 100, 50)).toBe(50);
  expect(cutText(bytes, 100, 51)).toBe(100);
});

test("a cluster without end is cut between its code points", () => {
  const bytes = Buffer.from(`e${"\u0301".repeat(500)}`);
  const length = cutText(bytes, 400, Infinity);
  expect(length).toBe(399);
});
