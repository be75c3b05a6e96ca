import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countLines, sizesOf } from "./text-sample.js";

const units = fc.constantFrom("a", "é", "漢", "😀", "\n", "\r\n");

test("the sizes of a text are exact, whatever its characters and wherever it is cut in pieces", () => {
  const ends = fc.string({ unit: units, maxLength: 40 });
  const around = fc.integer({ min: 65_500, max: 65_540 });
  fc.assert(
    fc.property(ends, around, fc.constantFrom("x", "\n", "漢"), ends, (head, count, unit, tail) => {
      const text = head + unit.repeat(count) + tail;
      expect(sizesOf(text)).toEqual({
        byteCount: Buffer.byteLength(text),
        lineCount: countLines(text),
      });
    }),
    { numRuns: 200 },
  );
});

test("a text of nothing has no lines, one without a newline has one", () => {
  expect(sizesOf("")).toEqual({ byteCount: 0, lineCount: 0 });
  expect(sizesOf("a")).toEqual({ byteCount: 1, lineCount: 1 });
  expect(sizesOf("a\n")).toEqual({ byteCount: 2, lineCount: 1 });
});
