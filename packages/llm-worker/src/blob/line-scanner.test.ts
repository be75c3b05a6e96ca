import fc from "fast-check";
import { expect, test } from "vitest";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { LineScanner } from "./line-scanner.js";
import { MAX_SPARSE_OFFSETS, SparseOffsets } from "./sparse-offsets.js";

function scan(text: string, sizes: readonly number[] = [Infinity]): LineScanner {
  const scanner = new LineScanner();
  for (const piece of cut(Buffer.from(text), sizes)) scanner.write(piece);
  return scanner;
}

/** The same, with each piece as a string too. */
function scanTold(text: string, sizes: readonly number[]): LineScanner {
  const scanner = new LineScanner();
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const part = text.slice(at, at + Math.max(1, sizes[turn % sizes.length] ?? 1));
    scanner.write(Buffer.from(part), part);
    at += part.length;
  }
  return scanner;
}

test.each([
  ["", 0],
  ["a", 1],
  ["\n", 1],
  ["a\n", 1],
  ["a\nb", 2],
  ["a\r\nb\r\n", 2],
  ["a\rb", 1],
  ["\n\n", 2],
  ["a\u2028b\fc", 1],
])("%j has as many lines as an editor shows: %i", (text, lineCount) => {
  expect(scan(text).lineCount).toBe(lineCount);
});

test("finds where each line begins, wherever it is cut", () => {
  const lines = fc.array(fc.constantFrom("", "a", "漢字", "\r", "long line"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, fc.constantFrom("\n", ""), pieceSizes, (parts, last, sizes) => {
      const text = parts.join("\n") + last;
      const { starts, lineCount } = scan(text, sizes);
      const told = scanTold(text, sizes);
      expect([told.lineCount, ...told.starts.offsets]).toEqual([lineCount, ...starts.offsets]);
      const pieces = text.split(/(?<=\n)/).filter((line) => line !== "");
      let offset = 0;
      const expected = pieces.map(
        (line) => (offset += Buffer.byteLength(line)) - Buffer.byteLength(line),
      );
      expect(lineCount).toBe(pieces.length);
      expect([...starts.offsets]).toEqual(expected);
    }),
  );
});

test("however many are counted, few offsets are kept, each stride-th from the first on", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.nat({ max: 200 }), (maxOffsets, count) => {
      const offsets = new SparseOffsets(maxOffsets);
      for (let position = 0; position < count; position++) offsets.add(position * 10);
      expect(offsets.count).toBe(count);
      expect(offsets.offsets.length).toBeLessThanOrEqual(maxOffsets);
      expect(offsets.offsets).toHaveLength(Math.ceil(count / offsets.stride));
      expect([...offsets.offsets].every((at, i) => at === i * offsets.stride * 10)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.nat({ max: 200 }), fc.nat({ max: 99 }), (count, most) => {
      const offsets = new SparseOffsets();
      for (let position = 0; position < count; position++) offsets.add(position * 10);
      offsets.thinTo(most / 2);
      expect(offsets.offsets.length).toBeLessThanOrEqual(Math.max(1, most / 2));
      for (let position = count; position < 300; position++) offsets.add(position * 10);
      expect(offsets.offsets).toHaveLength(Math.ceil(300 / offsets.stride));
      expect([...offsets.offsets].every((at, i) => at === i * offsets.stride * 10)).toBe(true);
    }),
  );
  const many = new SparseOffsets();
  for (let position = 0; position < 1_000_000; position++) many.add(position);
  expect(many.offsets.length).toBeGreaterThan(MAX_SPARSE_OFFSETS / 2);
});
