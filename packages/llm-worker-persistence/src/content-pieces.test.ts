import fc from "fast-check";
import { expect, test } from "vitest";
import { contentPieces, PIECE_BYTES } from "./content-pieces.js";

function joined(text: string): Buffer {
  const copies: Buffer[] = [];
  for (const piece of contentPieces({ type: "text", text })) copies.push(Buffer.from(piece));
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

test("no piece is larger than 256 KiB, and there is none of nothing", () => {
  const bytes = new Uint8Array(3 * PIECE_BYTES + 1);
  const text = "漢".repeat(PIECE_BYTES + 1);
  for (const content of [
    { type: "binary", bytes, mediaType: "application/zip" },
    { type: "text", text },
    { type: "structured", raw: JSON.stringify(text), value: text },
  ] as const) {
    for (const piece of contentPieces(content)) {
      expect(piece.length).toBeLessThanOrEqual(PIECE_BYTES);
    }
  }
  expect([...contentPieces({ type: "text", text: "" })]).toEqual([]);
});
