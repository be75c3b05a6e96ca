import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { FirstLines } from "./first-lines.js";

function firstLines(text: string, sizes: readonly number[] = [Infinity]): readonly string[] {
  const lines = new FirstLines();
  for (const piece of cut(Buffer.from(text), sizes)) lines.add(piece);
  return lines.texts;
}

test("keeps ten lines as an editor shows them", () => {
  expect(firstLines("")).toEqual([]);
  expect(firstLines("a\r\n\n b\n")).toEqual(["a", "", " b"]);
  expect(firstLines("x\n".repeat(50))).toEqual(Array.from({ length: 10 }, () => "x"));
});

test("a line of more than a thousand characters is cut and marked, those behind it are not lost", () => {
  expect(firstLines("y".repeat(1000))).toEqual(["y".repeat(1000)]);
  expect(firstLines(`${"x".repeat(1_000_000)}\nshort`)).toEqual([`${"x".repeat(999)}…`, "short"]);
  const [family = ""] = firstLines("👨‍👩‍👧‍👦".repeat(400));
  expect(family).toMatch(/^(?:👨‍👩‍👧‍👦)+…$/u);
  expect(family.length).toBeLessThanOrEqual(1000);
});

test("F4: what it keeps does not depend on how the bytes come, and breaks no character", () => {
  const character = fc.constantFrom("a", "漢", "😀", "é", "\n", "\r\n", "👨‍👩‍👧‍👦");
  const word = fc.tuple(character, fc.integer({ min: 1, max: 700 }));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), pieceSizes, (words, sizes) => {
      const text = words.map(([unit, times]) => unit.repeat(times)).join("");
      const lines = firstLines(text, sizes);
      expect(lines).toEqual(firstLines(text));
      for (const line of lines) {
        expect(line.length).toBeLessThanOrEqual(1000);
        expect(line).not.toContain("\ufffd");
        expect(line.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});
