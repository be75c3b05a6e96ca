import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countingReader } from "../../test/support/counting-reader.js";
import type { BlobReader } from "./blob-store.js";
import { lineAt, lineRange } from "./line-ranges.js";
import { SCAN_READ_BYTES } from "./read-pieces.js";

async function linesOf(reader: BlobReader, first: number, end: number): Promise<string> {
  const range = await lineRange(reader, first, end);
  return Buffer.from(await reader.read(range.start, range.end)).toString();
}

const texts = fc
  .array(fc.constantFrom("\n", "\r\n", "a", "漢", "\r", "line"), { maxLength: 20 })
  .map((parts) => parts.join(""));

/** Each line with its end, as an editor shows them. */
function split(text: string): readonly string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

describe("lineRange", () => {
  test("gives the bytes of lines, their ends included, clamped to what there is", async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.nat({ max: 12 }),
        fc.nat({ max: 12 }),
        async (text, first, end) => {
          const reader = countingReader(text, { kind: "text" });
          const lines = split(text);
          expect(await linesOf(reader, first, end)).toBe(lines.slice(first, end).join(""));
          const range = await lineRange(reader, first, end);
          expect(range.firstLine).toBe(Math.min(first, lines.length));
          expect(range.endLine).toBe(Math.min(Math.max(first, end), lines.length));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("is the same where the number of lines is not known", async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.nat({ max: 12 }),
        fc.nat({ max: 12 }),
        async (text, first, end) => {
          const known = countingReader(text, { kind: "text" });
          const unknown = countingReader(text, { kind: "text", stat: { lineCount: undefined } });
          expect(await lineRange(unknown, first, end)).toEqual(await lineRange(known, first, end));
        },
      ),
      { numRuns: 300 },
    );
  });

  const log = Array.from({ length: 60_000 }, (_, i) => `${i} ${"x".repeat(i % 37)}\n`);

  test("finds any line of a large text, with an index and without", async () => {
    const indexed = countingReader(log.join(""));
    const plain = countingReader(log.join(""), { withoutIndex: true });
    expect(indexed.index).toBeDefined();
    for (const first of [59_999, 0, 1, 4_095, 4_096, 4_097, 31_234, 60_000]) {
      const expected = log.slice(first, first + 3).join("");
      expect(await linesOf(indexed, first, first + 3)).toBe(expected);
      expect(await linesOf(plain, first, first + 3)).toBe(expected);
    }
  });

  test("reads little more than the answer if there is an index, and a bounded piece at a time", async () => {
    const indexed = countingReader(log.join(""));
    await lineRange(indexed, 50_001, 50_003);
    expect(indexed.counts.bytes).toBeLessThan(indexed.stat.byteCount / 100);

    const plain = countingReader(log.join(""), { withoutIndex: true });
    await lineRange(plain, 50_001, 50_003);
    expect(plain.counts.largestRead).toBe(SCAN_READ_BYTES);
    const before = plain.counts.bytes;
    await lineRange(plain, 50_003, 50_005);
    expect(plain.counts.bytes - before).toBeLessThanOrEqual(2 * SCAN_READ_BYTES);
  });

  test("knows where huge lines end without reading them", async () => {
    const reader = countingReader(`${"x".repeat(300_000)}\n`.repeat(3));
    expect(await lineRange(reader, 1, 3)).toMatchObject({ start: 300_001, end: 900_003 });
    expect(reader.counts.bytes).toBe(0);
  });

  test("a blob that is shorter than it should be is corrupt", async () => {
    const reader = countingReader("a\nb\n", { kind: "text", stat: { byteCount: 9, lineCount: 9 } });
    await expect(lineRange(reader, 5, 6)).rejects.toMatchObject({ code: "corrupt" });
  });
});

describe("lineAt", () => {
  test("says which line each byte lies in, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat({ max: 60 })), async (text, offsets) => {
        const reader = countingReader(text, { kind: "text" });
        const bytes = Buffer.from(text);
        const last = Math.max(0, split(text).length - 1);
        for (const offset of offsets) {
          const before = bytes.subarray(0, offset).toString("latin1").split("\n").length - 1;
          expect(await lineAt(reader, offset)).toBe(Math.min(before, last));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("knows which huge line a byte lies in without reading it", async () => {
    const text = `first\n${"x".repeat(900_000)}\n${"y".repeat(900_000)}`;
    for (const reader of [countingReader(text), countingReader("z".repeat(2_000))]) {
      const { byteCount, lineCount = 0 } = reader.stat;
      expect(await lineAt(reader, byteCount - 1)).toBe(lineCount - 1);
      expect(await lineAt(reader, Math.floor(byteCount / 3))).toBe(lineCount > 1 ? 1 : 0);
      expect(reader.counts.bytes).toBe(0);
    }
  });

  test("agrees with lineRange throughout a large text", async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `${"y".repeat(i % 41)}\n`).join("");
    for (const reader of [countingReader(text), countingReader(text, { withoutIndex: true })]) {
      for (const line of [29_999, 7, 12_345, 12_346, 20_000]) {
        const { start, end } = await lineRange(reader, line, line + 1);
        expect([await lineAt(reader, start), await lineAt(reader, end - 1)]).toEqual([line, line]);
      }
    }
  });
});
