import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpusOutputs, hasCorpus, skippedWhen } from "../../test/support/corpus.js";
import { type CountingReader, countingReader } from "../../test/support/counting-reader.js";
import { jsonText } from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { lineEntryRanges } from "./ndjson-ranges.js";
import { NdjsonScanner } from "./ndjson-scanner.js";

function entryCountOf(text: string, sizes: readonly number[] = [Infinity]): number | undefined {
  const scanner = new NdjsonScanner();
  for (const piece of cut(Buffer.from(text), sizes)) scanner.write(piece);
  return scanner.end();
}

async function entriesOf(
  reader: CountingReader,
  from: number,
  to: number,
): Promise<readonly string[]> {
  const ranges = await lineEntryRanges(reader, from, to);
  return Promise.all(
    ranges.map(async ({ start, end }) => Buffer.from(await reader.read(start, end)).toString()),
  );
}

const oneLine = jsonText
  .filter((json) => /^[[{]/.test(json))
  .map((json) => json.replaceAll(/[\r\n]/g, " "));
const lineEnd = fc.constantFrom("\n", "\n", "\r\n", " \n\n", "\n \t\n");

test.each<[string, string, number | undefined]>([
  ["two objects", '{"a":1}\n{"b":2}\n', 2],
  ["arrays, blank lines and no final line end", "\n[1]\r\n\r\n [2] \n{}", 3],
  ["nothing", "\n\n", undefined],
  ["a log", "[INFO] start\n[INFO] end\n", undefined],
  ["scalars", "1\n2\n", undefined],
  ["a broken line", '{"a":1}\n{"b":\n', undefined],
  ["two values on a line", "{} {}\n{}\n", undefined],
  ["a value on two lines", '{\n"a":1}\n', undefined],
  ["text after JSON lines", "{}\n{}\nend\n", undefined],
])("%s: how many entries there are", (_, text, count) => {
  expect(entryCountOf(text)).toBe(count);
  expect(entryCountOf(text, [1])).toBe(count);
});

test("any JSON lines, in any pieces, are counted and found", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(oneLine, lineEnd), { minLength: 2, maxLength: 8 }),
      pieceSizes,
      fc.nat({ max: 8 }),
      fc.nat({ max: 8 }),
      async (lines, sizes, from, to) => {
        const text = lines.flat().join("");
        const reader = countingReader(text);
        expect(entryCountOf(text, sizes)).toBe(lines.length);
        expect(reader.stat).toMatchObject({ kind: "text", entryCount: lines.length });
        expect(await entriesOf(reader, from, to)).toEqual(
          lines.map(([json]) => json.trim()).slice(from, to),
        );
      },
    ),
  );
});

/** One line after the other, with `JSON.parse`. */
function countedByParsing(text: string): number | undefined {
  const lines = text.split("\n").filter((line) => /[^ \t\r]/.test(line));
  const areValues = lines.every((line) => /^[ \t\r]*[[{]/.test(line) && parses(line));
  return areValues && lines.length > 0 ? lines.length : undefined;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("what is no JSON on one line of many is found, in any pieces", () => {
  const damage = fc.constantFrom("", "", "", " ", "\n", "1", "tru", '"', "}", "]", ",", "\u0000");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(damage, oneLine, damage, lineEnd), { minLength: 1, maxLength: 5 }),
      pieceSizes,
      (lines, sizes) => {
        const text = lines.flat().join("");
        expect(entryCountOf(text, sizes)).toBe(countedByParsing(text));
      },
    ),
    { numRuns: 500 },
  );
});

test("a first line over 64 KiB is taken for one large value, a later one for a line", () => {
  const longest = `["${"x".repeat(65_532)}"]`;
  const longer = `["${"x".repeat(65_533)}"]`;
  for (const sizes of [[Infinity], [1000], [65_536], [65_537, 1]]) {
    expect(entryCountOf(`\n${longest}\n[]\n`, sizes)).toBe(2);
    expect(entryCountOf(`\n  ${longest}`, sizes)).toBe(1);
    expect(entryCountOf(`${longer}\n[]\n`, sizes)).toBeUndefined();
    expect(entryCountOf(longer, sizes)).toBeUndefined();
    expect(entryCountOf(`[]\n${longer}\n`, sizes)).toBe(2);
  }
});

test("a few of very many entries are found near their place", async () => {
  const lines = Array.from({ length: 100_000 }, (_, id) =>
    JSON.stringify({ id, tag: "x".repeat(id % 50) }),
  );
  for (const text of [lines.join("\n"), `\n${lines.join("\n")}\n\n`]) {
    const reader = countingReader(text);
    expect(await entriesOf(reader, 90_000, 90_003)).toEqual(lines.slice(90_000, 90_003));
    expect(await entriesOf(reader, 99_999, 100_009)).toEqual(lines.slice(99_999));
    expect(reader.counts.bytes).toBeLessThan(131_072);
  }
});

test("entries that take several reads come whole", async () => {
  const lines = Array.from({ length: 6 }, (_, id) => JSON.stringify([id, "漢".repeat(30_000)]));
  const reader = countingReader(`[]\n${lines.join("\n")}\n`);
  expect(await entriesOf(reader, 1, 9)).toEqual(lines);
  expect(await lineEntryRanges(reader, 0, 9, { maxBytes: 100_000 })).toHaveLength(3);
});

describe.skipIf(!hasCorpus)(`recorded tool outputs${skippedWhen}`, () => {
  test("those that are NDJSON are known as such", () => {
    for (const output of corpusOutputs()) {
      if (!output.file.startsWith("ndjson/")) continue;
      const { stat } = countingReader(output.bytes());
      const count = output
        .bytes()
        .toString()
        .split("\n")
        .filter((line) => line !== "").length;
      expect([output.file, stat.kind, stat.entryCount]).toEqual([output.file, "text", count]);
    }
  });
});
