import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CountingReader, countingReader } from "../../test/support/counting-reader.js";
import { jsonObjectText, jsonText } from "../../test/support/json-text.js";
import { arrayLength, elementRanges } from "./array-ranges.js";
import type { ByteSpan } from "./bytes.js";
import { jsonTypeAt, wholeSpan } from "./json-scan.js";
import { memberKeys, memberRange } from "./member-ranges.js";
import { SCAN_READ_BYTES } from "./read-pieces.js";

async function valueOf(reader: CountingReader, span: ByteSpan, key: string): Promise<unknown> {
  const range = await memberRange(reader, span, key);
  if (range === undefined) return undefined;
  return JSON.parse(Buffer.from(await reader.read(range.start, range.end)).toString()) as unknown;
}

const wide = Object.fromEntries(
  Array.from({ length: 10_000 }, (_, i) => [`k${i}`, `value number ${i} ${"-".repeat(20)}`]),
);

describe("memberRange", () => {
  test("gives what JSON.parse gives for each key, the last of duplicates", async () => {
    await fc.assert(
      fc.asyncProperty(jsonObjectText, async (json) => {
        const reader = countingReader(json, { kind: "structured" });
        const object = JSON.parse(json) as Record<string, unknown>;
        for (const [key, value] of Object.entries(object)) {
          expect(await valueOf(reader, wholeSpan(reader), key)).toEqual(value);
          expect(await valueOf(reader, wholeSpan(reader), key)).toEqual(value);
        }
        expect(await memberRange(reader, wholeSpan(reader), "not there")).toBeUndefined();
      }),
    );
  });

  test("works within a value of a blob", async () => {
    await fc.assert(
      fc.asyncProperty(jsonObjectText, jsonText, async (json, other) => {
        const reader = countingReader(`[${other},${json}]`, { kind: "structured" });
        const start = Buffer.byteLength(other) + 2;
        const span = { start, end: start + Buffer.byteLength(json) };
        for (const [key, value] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
          expect(await valueOf(reader, span, key)).toEqual(value);
        }
      }),
    );
  });

  test("an escaped key is the key that it stands for, and the empty key is one", async () => {
    const reader = countingReader('{"\\u006b":1,"":2,"\\ud800":3}');
    expect(await valueOf(reader, wholeSpan(reader), "k")).toBe(1);
    expect(await valueOf(reader, wholeSpan(reader), "")).toBe(2);
    expect(await valueOf(reader, wholeSpan(reader), "\ud800")).toBe(3);
  });

  test("reads nothing at all where the index lists all members", async () => {
    const reader = countingReader(JSON.stringify({ a: "x".repeat(300_000), b: 1, a2: [] }));
    expect(await memberRange(reader, wholeSpan(reader), "b")).toEqual({
      start: 300_012,
      end: 300_013,
    });
    expect(await memberRange(reader, wholeSpan(reader), "c")).toBeUndefined();
    expect(reader.counts.reads).toBe(0);
  });

  test("finds any of 10,000 keys, too many for a list, in bounded pieces", async () => {
    const json = JSON.stringify(wide);
    const reader = countingReader(json);
    expect(reader.index).toMatchObject({ type: "json_object" });
    expect(reader.index).not.toHaveProperty("members");
    for (const key of ["k9876", "k0", "k9999", "k1"]) {
      expect(await valueOf(reader, wholeSpan(reader), key)).toBe(wide[key]);
    }
    expect(await memberRange(reader, wholeSpan(reader), "k10000")).toBeUndefined();
    expect(reader.counts.largestRead).toBeLessThanOrEqual(SCAN_READ_BYTES);
  });

  test("a duplicate that the index has no room for still counts", async () => {
    const small = JSON.stringify(wide).slice(1, -1);
    const json = `{"big":"${"x".repeat(5000)}",${small},"big":1,${small}}`;
    const reader = countingReader(json);
    expect(reader.index).not.toHaveProperty("members");
    expect(await valueOf(reader, wholeSpan(reader), "big")).toBe(1);
  });

  test("scans an object without the big values that the index knows", async () => {
    const json = JSON.stringify({ ...wide, huge: [["x".repeat(3_000_000)]], last: 1 });
    const reader = countingReader(json);
    expect(await memberRange(reader, wholeSpan(reader), "not there")).toBeUndefined();
    expect(reader.counts.bytes).toBeLessThan(1_500_000);
  });

  test("refuses a span that holds something else, and bytes that are not JSON", async () => {
    const reader = countingReader('[1,{"a":tru}]', { kind: "text" });
    await expect(memberRange(reader, wholeSpan(reader), "a")).rejects.toThrow(TypeError);
    const broken = { start: 3, end: 12 };
    await expect(memberRange(reader, broken, "a")).rejects.toMatchObject({ code: "corrupt" });
  });
});

describe("memberKeys", () => {
  test("lists keys in order with type and bytes, and counts all of them", async () => {
    const json = '{"name":"漢", "results":[1,2],"meta":{},"n":-1.5,"ok":true,"none":null,"name":0}';
    const reader = countingReader(json, { kind: "structured" });
    const { members, memberCount } = await memberKeys(reader, wholeSpan(reader), 5);
    expect(memberCount).toBe(7);
    expect(members.map(({ key, type, start, end }) => [key, type, end - start])).toEqual([
      ["name", "string", 5],
      ["results", "array", 5],
      ["meta", "object", 2],
      ["n", "number", 4],
      ["ok", "boolean", 4],
    ]);
    expect((await memberKeys(reader, wholeSpan(reader), 99)).members).toHaveLength(7);
    expect(await memberKeys(reader, wholeSpan(reader), 0)).toEqual({ members: [], memberCount: 7 });
  });

  test("reads no further than the last listed if the count is known", async () => {
    const json = JSON.stringify(wide);
    const reader = countingReader(json);
    expect(await memberKeys(reader, wholeSpan(reader), 3)).toMatchObject({ memberCount: 10_000 });
    expect(reader.counts.bytes).toBeLessThan(SCAN_READ_BYTES + 512);

    const nested = countingReader(`[${json}]`);
    const span = { start: 1, end: json.length + 1 };
    expect(await memberKeys(nested, span, 3)).toMatchObject({ memberCount: 10_000 });
    const { bytes } = nested.counts;
    expect(await memberKeys(nested, span, 3)).toMatchObject({ memberCount: 10_000 });
    expect(nested.counts.bytes - bytes).toBeLessThan(SCAN_READ_BYTES + 512);
  });

  test("a key that is longer than any answer is listed without its text", async () => {
    const reader = countingReader(`{"${"k".repeat(70_000)}":1}`);
    const { members } = await memberKeys(reader, wholeSpan(reader), 1);
    expect(members).toMatchObject([{ key: undefined, type: "number" }]);
  });
});

test("a value that was found is not read again to count what it holds", async () => {
  const json = '{"a":[1,[2,3],{"x":4}],"b":{"y":[],"z":{}},"c":7,"d":[]}';
  const reader = countingReader(json, { kind: "structured" });
  const find = async (key: string): Promise<ByteSpan> =>
    (await memberRange(reader, wholeSpan(reader), key)) ?? { start: 0, end: 0 };
  const [a, b, c, d] = [await find("a"), await find("b"), await find("c"), await find("d")];
  const [element] = await elementRanges(reader, a, 1, 2);
  const { reads } = reader.counts;
  expect(await arrayLength(reader, a)).toBe(3);
  expect(element && (await arrayLength(reader, element))).toBe(2);
  expect(await memberKeys(reader, b, 0)).toEqual({ members: [], memberCount: 2 });
  expect(reader.counts.reads).toBe(reads);
  expect(await arrayLength(reader, d)).toBe(0);
  for (const other of [b, c]) await expect(arrayLength(reader, other)).rejects.toThrow(TypeError);
});

test("key by key and element by element, a deep value is reached in pieces of bounded size", async () => {
  const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `row ${id}` }));
  const reader = countingReader(JSON.stringify({ meta: {}, data: { rows } }), {
    withoutIndex: true,
  });
  const data = await memberRange(reader, wholeSpan(reader), "data");
  const inData = data && (await memberRange(reader, data, "rows"));
  const [row] = inData ? await elementRanges(reader, inData, 39_000, 39_001) : [];
  expect(row && (await valueOf(reader, row, "name"))).toBe("row 39000");
  expect(reader.counts.largestRead).toBeLessThanOrEqual(SCAN_READ_BYTES);
});

test("jsonTypeAt tells a value by its first byte, space before it skipped", async () => {
  const json = `{"a": [], "s":"x",\n"n":-1${" ".repeat(1000)}}`;
  const reader = countingReader(json);
  expect(await jsonTypeAt(reader, 0)).toBe("object");
  expect(await jsonTypeAt(reader, 5)).toBe("array");
  expect(await jsonTypeAt(reader, json.indexOf('"x"'))).toBe("string");
  expect(await jsonTypeAt(reader, json.indexOf("-"))).toBe("number");
  expect(await jsonTypeAt(reader, json.indexOf("-") + 2)).toBeUndefined();
  expect(await jsonTypeAt(reader, json.length)).toBeUndefined();
});
