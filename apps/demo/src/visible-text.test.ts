import * as fc from "fast-check";
import { expect, test } from "vitest";
import { visibleText } from "./visible-text.js";

test("shows what would steer a terminal, and leaves other text as it is", () => {
  expect(visibleText("a\tb\nc 漢 👩‍👧 e\u0301")).toBe("a\tb\nc 漢 👩‍👧 e\u0301");
  expect(visibleText("\u001b[31mred\r\u0000\u007f")).toBe("␛[31mred␍␀␡");
  expect(visibleText("\u009b2J\u202egpj.exe")).toBe("<U+009B>2J<U+202E>gpj.exe");
});

test("leaves no control character but newline and tab, whatever comes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visibleText(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
    }),
  );
});
