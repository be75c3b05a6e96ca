import fc from "fast-check";
import { expect, test } from "vitest";
import { createBytesReader } from "../blob/blob-reader.js";
import { openStringReader } from "./string-reader.js";

async function open(text: string): Promise<Awaited<ReturnType<typeof openStringReader>>> {
  const literal = Buffer.from(JSON.stringify(text));
  return openStringReader(createBytesReader(literal), 1, literal.length - 1);
}

test("counts and reads a long string by parts, wherever escapes and characters fall", async () => {
  const units = ["a", "\n", '"', "\\", "é", "漢", "😀", "\u0001", "\ud800", "\u2028"];
  for (const unit of units) {
    const text = `${"x".repeat(262_139)}${unit.repeat(40)}${"some text\n".repeat(20_000)}${unit}`;
    const expected = Buffer.from(text.toWellFormed());
    const reader = await open(text);
    expect(reader.stat.byteCount).toBe(expected.length);
    for (const [start, end] of [
      [0, 10],
      [262_100, 262_500],
      [expected.length - 5, expected.length + 5],
      [0, expected.length],
    ] as const) {
      const part = await reader.read(start, end);
      expect(Buffer.from(part).equals(expected.subarray(start, end))).toBe(true);
    }
  }
});

test("any part of any string is that part of the decoded text", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary" }),
      fc.nat(40),
      fc.nat(40),
      async (text, start, length) => {
        const expected = Buffer.from(text.toWellFormed());
        const part = await (await open(text)).read(start, start + length);
        expect(Buffer.from(part).equals(expected.subarray(start, start + length))).toBe(true);
      },
    ),
  );
});

test("an empty string is an empty text", async () => {
  const reader = await open("");
  expect(reader.stat).toMatchObject({ kind: "text", byteCount: 0, lineCount: 0 });
  expect((await reader.read(0, 10)).length).toBe(0);
});
