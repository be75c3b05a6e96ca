import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CountingReader, countingReader } from "../../test/support/counting-reader.js";
import { jsonArrayText, jsonText } from "../../test/support/json-text.js";
import { arrayLength, arrayRange, elementRanges } from "./array-ranges.js";
import type { ByteSpan } from "./bytes.js";
import { wholeSpan } from "./json-scan.js";
import { SCAN_READ_BYTES } from "./read-pieces.js";

async function textOf(reader: CountingReader, { start, end }: ByteSpan): Promise<string> {
  return Buffer.from(await reader.read(start, end)).toString();
}

async function elementsOf(
  reader: CountingReader,
  span: ByteSpan,
  from: number,
  to: number,
): Promise<readonly string[]> {
  const ranges = await elementRanges(reader, span, from, to);
  return Promise.all(ranges.map((range) => textOf(reader, range)));
}

const bound = fc.nat({ max: 10 });

/** From one place that an index knows to the next, as long as there is room for so many. */
const CHECKPOINT_BYTES = 8192;

describe("elementRanges", () => {
  test("gives the exact text of each element asked for", async () => {
    await fc.assert(
      fc.asyncProperty(jsonArrayText, bound, bound, async (json, from, to) => {
        const reader = countingReader(json, { kind: "structured" });
        const elements = await elementsOf(reader, wholeSpan(reader), from, to);
        const parsed = elements.map((element) => JSON.parse(element) as unknown);
        expect(parsed).toEqual((JSON.parse(json) as unknown[]).slice(from, to));
        expect(elements.map((element) => element.trim())).toEqual(elements);
      }),
    );
  });

  test("works within a value of a blob, before and after its length was asked for", async () => {
    await fc.assert(
      fc.asyncProperty(jsonArrayText, jsonText, bound, bound, async (json, other, from, to) => {
        const reader = countingReader(`[${other},${json} ,${other}]`, { kind: "structured" });
        const start = Buffer.byteLength(other) + 2;
        const span = { start, end: start + Buffer.byteLength(json) };
        const elements = await elementsOf(reader, span, from, to);
        const expected = JSON.parse(json) as unknown[];
        expect(elements.map((element) => JSON.parse(element) as unknown)).toEqual(
          expected.slice(from, to),
        );
        expect(await arrayLength(reader, span)).toBe(expected.length);
        expect(await elementsOf(reader, span, from, to)).toEqual(elements);
      }),
    );
  });

  const records = Array.from({ length: 30_000 }, (_, id) => `{"id":${id}${"0".repeat(id % 7)}}`);
  const json = `[ ${records.join(" ,\n")} ]\n`;

  test("finds any elements of a large array, with an index and without", async () => {
    const indexed = countingReader(json);
    const plain = countingReader(json, { withoutIndex: true });
    expect(indexed.index).toBeDefined();
    for (const from of [29_998, 0, 1, 15_000, 16_384, 29_999, 30_000]) {
      const expected = records.slice(from, from + 3);
      expect(await elementsOf(indexed, wholeSpan(indexed), from, from + 3)).toEqual(expected);
      expect(await elementsOf(plain, wholeSpan(plain), from, from + 3)).toEqual(expected);
    }
  });

  test("reads little more than the answer if there is an index, and a bounded piece at a time", async () => {
    const indexed = countingReader(json);
    await elementRanges(indexed, wholeSpan(indexed), 29_000, 29_002);
    expect(indexed.counts.bytes).toBeLessThan(CHECKPOINT_BYTES + 1024);

    const plain = countingReader(json, { withoutIndex: true });
    await elementRanges(plain, wholeSpan(plain), 10, 12);
    expect(plain.counts.bytes).toBeLessThanOrEqual(SCAN_READ_BYTES + 256);
    await elementRanges(plain, wholeSpan(plain), 29_000, 29_002);
    expect(plain.counts.largestRead).toBe(SCAN_READ_BYTES);
  });

  test("does not read through huge elements whose end the index knows", async () => {
    const huge = JSON.stringify("x".repeat(1_000_000));
    const reader = countingReader(`[${huge} ,[${huge}], ${huge}\n ] `);
    const span = wholeSpan(reader);
    const ranges = await elementRanges(reader, span, 0, 3);
    expect(ranges.map(({ start, end }) => end - start)).toEqual([1_000_002, 1_000_004, 1_000_002]);
    expect(reader.counts.bytes).toBeLessThan(4 * SCAN_READ_BYTES);
    expect((await elementRanges(reader, span, 2, 3))[0]).toEqual(ranges[2]);
  });

  test("stops after the element that reaches the limit of bytes", async () => {
    const reader = countingReader("[111,222,333,444]");
    const ranges = await elementRanges(reader, wholeSpan(reader), 0, 4, { maxBytes: 5 });
    expect(ranges).toHaveLength(2);
  });

  test("numbers beyond 2^53 and escapes come as they are", async () => {
    const reader = countingReader('[9007199254740993, "\\u006b",1.10]');
    const elements = await elementsOf(reader, wholeSpan(reader), 0, 9);
    expect(elements).toEqual(["9007199254740993", '"\\u006b"', "1.10"]);
  });

  test("an element of 100,000 brackets is an element", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const reader = countingReader(`[0,${deep},1]`);
    expect(await elementRanges(reader, wholeSpan(reader), 1, 2)).toEqual([
      { start: 3, end: 200_003 },
    ]);
  });

  test("refuses a span that holds something else, and bytes that are not JSON", async () => {
    const reader = countingReader('{"a":[1,x]}', { kind: "text" });
    await expect(elementRanges(reader, wholeSpan(reader), 0, 1)).rejects.toThrow(TypeError);
    await expect(arrayLength(reader, { start: 4, end: 5 })).rejects.toThrow(TypeError);
    const broken = { start: 5, end: 10 };
    await expect(arrayLength(reader, broken)).rejects.toMatchObject({ code: "corrupt" });
    expect(await elementRanges(reader, broken, 0, 1)).toEqual([{ start: 6, end: 7 }]);
  });
});

describe("arrayRange", () => {
  test("spans from the first to the last element asked for", async () => {
    await fc.assert(
      fc.asyncProperty(jsonArrayText, bound, bound, async (json, from, to) => {
        const reader = countingReader(json, { kind: "structured" });
        const ranges = await elementRanges(reader, wholeSpan(reader), from, to);
        const first = ranges[0];
        const expected = first && { start: first.start, end: ranges.at(-1)?.end };
        expect(await arrayRange(reader, wholeSpan(reader), from, to)).toEqual(expected);
        await arrayLength(reader, wholeSpan(reader));
        expect(await arrayRange(reader, wholeSpan(reader), from, to)).toEqual(expected);
      }),
    );
  });

  test("does not read what lies between if there is an index", async () => {
    const json = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id })));
    const reader = countingReader(json);
    const range = await arrayRange(reader, wholeSpan(reader), 0, 60_000);
    expect(range).toEqual({ start: 1, end: json.length - 1 });
    expect(reader.counts.bytes).toBeLessThan(2 * CHECKPOINT_BYTES + 1024);
  });
});

test("arrayLength costs nothing with an index, and for a nested array without one a scan", async () => {
  const json = JSON.stringify({ rows: Array.from({ length: 100_000 }, (_, id) => id) });
  const indexed = countingReader(json);
  expect(await arrayLength(indexed, { start: 8, end: json.length - 1 })).toBe(100_000);
  expect(indexed.counts.reads).toBe(0);

  const reader = countingReader(json, { withoutIndex: true });
  const span = { start: 8, end: json.length - 1 };
  expect(await arrayLength(reader, span)).toBe(100_000);
  const { bytes } = reader.counts;
  expect(bytes).toBeLessThan(json.length + 512);
  expect(reader.counts.largestRead).toBeLessThanOrEqual(SCAN_READ_BYTES);
  expect(await arrayLength(reader, span)).toBe(100_000);
  await elementRanges(reader, span, 99_990, 99_991);
  expect(reader.counts.bytes - bytes).toBeLessThan(1000);

  const whole = countingReader("[1,2,3]");
  expect(await arrayLength(whole, wholeSpan(whole))).toBe(3);
  expect(whole.counts.reads).toBe(0);
});
