import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBytes, cutText } from "./pieces.js";
import { seededRandom } from "./random.js";

test("the pieces of bytes and text are the whole again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), fc.integer(), (text, seed) => {
      const random = seededRandom(String(seed));
      expect(Buffer.concat([...cutBytes(Buffer.from(text), random)]).toString()).toBe(text);
      expect(cutText(text, random).join("")).toBe(text);
    }),
  );
});

test("a delta is never cut inside a character", () => {
  const deltas = cutText("a😀\\né".repeat(200), seededRandom("1"));
  expect(deltas.every((delta) => delta !== "" && delta.isWellFormed())).toBe(true);
  expect(deltas.some((delta) => delta.endsWith("\\"))).toBe(true);
});

test("bytes are cut inside characters and escapes, into pieces of many sizes", () => {
  const bytes = Buffer.from('{"text":"日本語\\n😀\\u00e9"}'.repeat(100));
  const pieces = [...cutBytes(bytes, seededRandom("1"))];
  expect(pieces.some((piece) => ((piece[0] ?? 0) & 0xc0) === 0x80)).toBe(true);
  expect(pieces.some((piece) => piece.at(-1) === 0x5c)).toBe(true);
  expect(new Set(pieces.map((piece) => piece.length)).size).toBeGreaterThan(20);
});

test("the same seed cuts in the same places", () => {
  const bytes = Buffer.from("x".repeat(5000));
  const lengths = (seed: string): number[] =>
    Array.from(cutBytes(bytes, seededRandom(seed)), (piece) => piece.length);
  expect(lengths("a")).toEqual(lengths("a"));
  expect(lengths("a")).not.toEqual(lengths("b"));
});
