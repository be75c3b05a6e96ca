import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assertBytes, contentPieces, isOnlyPiece, PIECE_BYTES } from "./content-pieces.js";

function joined(text: string): Buffer {
  const copies: Buffer[] = [];
  for (const { bytes, text: part } of contentPieces({ type: "text", text })) {
    expect(Buffer.from(part ?? "").equals(bytes)).toBe(true);
    copies.push(Buffer.from(bytes));
  }
  return Buffer.concat(copies);
}

test("the pieces of a text are its UTF-8, with lone surrogates replaced", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (a, b) => {
      const text = `${a}\ud83d${b}\udc00`;
      expect(joined(text)).toEqual(Buffer.from(text.toWellFormed()));
    }),
  );
});

test("a character is not lost where one piece ends and the next begins", () => {
  for (let shift = 0; shift < 5; shift += 1) {
    const text = "x".repeat(PIECE_BYTES - shift) + "😀漢é".repeat(PIECE_BYTES / 4);
    expect(joined(text).equals(Buffer.from(text))).toBe(true);
  }
});

test("bytes of another realm are bytes", () => {
  expect(() => assertBytes(runInNewContext("new Uint8Array(2)"))).not.toThrow();
  expect(() => assertBytes(runInNewContext("new Uint16Array(2)"))).toThrow("Uint8Array");
});

test("no piece is larger than 256 KiB, and there is none of nothing", () => {
  const bytes = new Uint8Array(3 * PIECE_BYTES + 1);
  const text = "漢".repeat(PIECE_BYTES + 1);
  for (const content of [
    { type: "binary", bytes, mediaType: "application/zip" },
    { type: "text", text },
    { type: "structured", raw: JSON.stringify(text), value: text },
  ] as const) {
    for (const piece of contentPieces(content)) {
      expect(piece.bytes.length).toBeLessThanOrEqual(PIECE_BYTES);
    }
  }
  expect([...contentPieces({ type: "text", text: "" })]).toEqual([]);
});

test("two texts at a time do not get in each other's pieces", () => {
  const [a, b] = ["a", "b"].map((unit) => unit.repeat(2 * PIECE_BYTES));
  const pieces = [a, b].map((text = "") => contentPieces({ type: "text", text }));
  for (let turn = 0; turn < 2; turn += 1) {
    const [ofA, ofB] = pieces.map((of) => of.next().value?.bytes);
    expect([ofA?.at(-1), ofB?.at(-1)]).toEqual([0x61, 0x62]);
  }
});

test("the first piece tells whether there is another", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("x", "é", "漢", "😀"),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: -6, max: 6 }),
      (unit, divisor, more) => {
        const text = unit.repeat(Math.floor(PIECE_BYTES / divisor) + more);
        const pieces = [...contentPieces({ type: "text", text })].map(({ bytes }) => bytes.length);
        const first = new Uint8Array(pieces[0] ?? 0);
        // Only just below the size of a piece is it left open.
        const isOnly = pieces.length === 1 && first.length <= PIECE_BYTES - 4;
        expect(isOnlyPiece(text, first)).toBe(isOnly);
      },
    ),
    { numRuns: 200 },
  );
});
