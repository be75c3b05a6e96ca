import fc from "fast-check";
import { expect, test } from "vitest";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { Utf8Scanner } from "./utf8-scanner.js";

function invalidBytes(bytes: Uint8Array, sizes: readonly number[]): number {
  const scanner = new Utf8Scanner();
  for (const piece of cut(bytes, sizes)) scanner.write(piece);
  scanner.end();
  return scanner.invalidByteCount;
}

/** By the platform's decoder: what it could read, as bytes, is what was valid. */
function expectedInvalidBytes(bytes: Uint8Array): number {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // None of the samples holds a U+FFFD of its own.
  return bytes.length - Buffer.byteLength(text.replaceAll("\ufffd", ""));
}

const characters = fc.constantFrom("a", "é", "漢", "😀", "\u0800", "\ud7ff", "\u{10ffff}");
const strayBytes = fc.constantFrom(
  0x80,
  0xbf,
  0xc0,
  0xc1,
  0xc2,
  0xe0,
  0xe1,
  0xed,
  0xa0,
  0x9f,
  0x90,
  0xf0,
  0xf4,
  0x8f,
  0xf5,
  0xff,
);
const mixture = fc
  .array(
    fc.oneof(
      characters.map((text) => Buffer.from(text)),
      strayBytes.map((byte) => Buffer.from([byte])),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts));

test("text of any script is valid, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.array(characters), pieceSizes, (parts, sizes) => {
      expect(invalidBytes(Buffer.from(parts.join("")), sizes)).toBe(0);
    }),
  );
});

test("counts the bytes that belong to no character as the platform's decoder does, wherever cut", () => {
  fc.assert(
    fc.property(mixture, pieceSizes, (bytes, sizes) => {
      expect(invalidBytes(bytes, sizes)).toBe(expectedInvalidBytes(bytes));
    }),
    { numRuns: 1000 },
  );
});

test("surrogates as bytes, overlong forms and cut characters are invalid", () => {
  for (const bytes of ["eda080", "c080", "e08080", "f0808080", "f4908080", "e6bc", "f09f98"]) {
    const invalid = Buffer.from(bytes, "hex");
    expect(invalidBytes(invalid, [1])).toBe(invalid.length);
  }
});
