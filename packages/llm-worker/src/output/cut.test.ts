import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutEnd, cutStart, shareBytes, takeHead, takeTail } from "./cut.js";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function boundaries(text: string): number[] {
  return [...[...segmenter.segment(text)].map((segment) => segment.index), text.length];
}

const hardCharacters = [
  "a",
  " ",
  "\n",
  "\r\n",
  "\u0000",
  "é",
  "e\u0301",
  "漢",
  "か\u3099",
  "😀",
  "👍🏽",
  "❤️",
  "👩‍👩‍👧‍👦",
  "🇯🇵",
  "🇩🇪",
  "\u200d",
  "각",
  "क्षि",
  "\u0600",
  "ﷺ",
];
const hardText = fc.array(fc.constantFrom(...hardCharacters)).map((parts) => parts.join(""));

describe("cutting by bytes", () => {
  test("takes the longest beginning and end that break no character", () => {
    fc.assert(
      fc.property(hardText, fc.nat({ max: 120 }), (text, maxBytes) => {
        const places = boundaries(text);
        const fits = (part: string): boolean => Buffer.byteLength(part) <= maxBytes;
        const head = places.map((place) => text.slice(0, place)).filter(fits);
        const tail = places.map((place) => text.slice(place)).filter(fits);
        expect(takeHead(text, maxBytes)).toBe(head.at(-1));
        expect(takeTail(text, maxBytes)).toBe(tail[0]);
      }),
      { numRuns: 3000 },
    );
  });

  test("counts what is no half of a pair as three bytes, wherever it is", () => {
    const halves = fc
      .array(fc.constantFrom("\ud83d", "\ude00", "a", "é", "漢"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(halves, fc.integer({ min: -2, max: 40 }), (text, maxBytes) => {
        const characters = [...text];
        const fits = (part: readonly string[]): boolean =>
          Buffer.byteLength(part.join("").toWellFormed()) <= Math.max(0, maxBytes);
        let [end, start] = [characters.length, 0];
        while (!fits(characters.slice(0, end))) end -= 1;
        while (!fits(characters.slice(start))) start += 1;
        expect(takeHead(text, maxBytes)).toBe(characters.slice(0, end).join(""));
        expect(takeTail(text, maxBytes)).toBe(characters.slice(start).join(""));
      }),
      { numRuns: 2000 },
    );
  });

  test("stays within the limit and marks what it leaves out", () => {
    fc.assert(
      fc.property(hardText, fc.nat({ max: 60 }), (text, maxBytes) => {
        for (const cut of [cutEnd(text, maxBytes), cutStart(text, maxBytes)]) {
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
          expect(cut.isWellFormed()).toBe(true);
          const isWhole = Buffer.byteLength(text) <= maxBytes;
          expect(cut === text || cut.includes("…") || maxBytes < 3).toBe(true);
          expect(cut === text).toBe(isWhole);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("a long row of flags is cut between flags", () => {
    const flags = "🇯🇵".repeat(3000);
    expect(takeHead(flags, 8005)).toBe("🇯🇵".repeat(1000));
    expect(takeTail(flags, 8005)).toBe("🇯🇵".repeat(1000));
    expect(takeTail("🇯" + flags, 8000)).toBe("🇵🇯".repeat(999) + "🇵");
  });

  test("a character with more marks than anyone reads is cut between code points", () => {
    const noise = "x" + "\u0301".repeat(2000);
    expect(takeHead(noise, 2001)).toBe("x" + "\u0301".repeat(1000));
    expect(takeTail(noise, 2000)).toBe("\u0301".repeat(1000));
    const joined = "😀\u200d".repeat(2000);
    expect(takeHead(joined, 7001).isWellFormed()).toBe(true);
    expect(takeTail(joined, 7001).isWellFormed()).toBe(true);
  });

  test("a lone surrogate counts as the three bytes that it is written as", () => {
    expect(takeHead("\ud800ab", 4)).toBe("\ud800a");
    expect(takeTail("ab\udc00", 4)).toBe("b\udc00");
  });

  test("text that fits is returned as it is, whatever is in it", () => {
    const text = "$& \\1 {0}\u0000\u001b[31m";
    expect(cutEnd(text, 100)).toBe(text);
    expect(cutStart(text, 100)).toBe(text);
  });
});

describe("shareBytes", () => {
  test("gives each what it wants, or an equal part of what others leave", () => {
    expect(shareBytes([10, 20], 100)).toEqual([10, 20]);
    expect(shareBytes([10, 500], 100)).toEqual([10, 90]);
    expect(shareBytes([500, 500], 101)).toEqual([50, 51]);
    expect(shareBytes([500, 5, 500], 0)).toEqual([0, 0, 0]);
    expect(shareBytes([500, 5], -3)).toEqual([0, 0]);
  });
});
