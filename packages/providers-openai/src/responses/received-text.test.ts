import fc from "fast-check";
import { expect, test } from "vitest";
import { ReceivedText } from "./received-text.js";

function received(...pieces: readonly string[]): ReceivedText {
  const text = new ReceivedText();
  for (const piece of pieces) text.add(piece);
  return text;
}

test("what is missing is what the whole has beyond what came", () => {
  expect(received("ab", "c").missingEnd("abcd")).toBe("d");
  expect(received().missingEnd("ab")).toBe("ab");
  expect(received("ab", "c").missingEnd("abc")).toBe("");
});

test("nothing is missing where the whole is not told", () => {
  expect(received("ab").missingEnd("")).toBe("");
});

test("a whole that does not begin with what came is told apart", () => {
  expect(received("a", "c").missingEnd("abc")).toBeUndefined();
  expect(received("a", "b", "b").missingEnd("ab")).toBeUndefined();
});

test("however it was cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (pieces, end) => {
      const text = received(...pieces);
      expect(text.toString()).toBe(pieces.join(""));
      expect(text.missingEnd(pieces.join("") + end)).toBe(end);
    }),
  );
});
