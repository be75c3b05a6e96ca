import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countingReader } from "../../test/support/counting-reader.js";
import { jsonText, stringLiteral } from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { arrayLength, arrayRange, elementRanges } from "./array-ranges.js";
import type { BlobIndex } from "./blob-index.js";
import { createBytesReader } from "./blob-reader.js";
import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { decodeBlobIndex, encodeBlobIndex } from "./index-codec.js";
import { JsonIndexer } from "./json-indexer.js";
import { jsonTypeAt, wholeSpan } from "./json-scan.js";
import { memberKeys, memberRange } from "./member-ranges.js";
import { indexOfSlice, indexOfValue } from "./nested-index.js";
import { partList } from "./part-list.js";
import type { PartIndexerOptions } from "./part-indexer.js";

/** Everything gets into the index, whatever its size. */
const dense: PartIndexerOptions = { minPartBytes: 1, minSpacingBytes: 2 };
const anyDensity: fc.Arbitrary<PartIndexerOptions> = fc.record({
  minPartBytes: fc.integer({ min: 1, max: 40 }),
  minSpacingBytes: fc.integer({ min: 1, max: 20 }),
  // Of each part that is open one checkpoint stays, however little there is room for.
  maxHeld: fc.integer({ min: 0, max: 400 }),
});

function readerOf(
  json: string | Buffer,
  options: PartIndexerOptions,
  sizes: readonly number[] = [Infinity],
): BlobReader {
  const bytes = Buffer.from(json);
  const { stat } = createBytesReader(bytes);
  const indexer = new JsonIndexer(options);
  for (const piece of cut(bytes, sizes)) indexer.write(piece);
  if (indexer.end() === undefined) throw new Error("not JSON");
  const parts = partList(indexer.parts(Infinity, "searched"));
  const index: BlobIndex =
    stat.kind === "json_array" ? { type: "json_array", parts } : { type: "json_object", parts };
  return createBytesReader(bytes, stat, decodeBlobIndex(encodeBlobIndex({ stat, index }))?.index);
}

/** All that can be asked of a value and of those in it, as places in the blob. */
async function answers(reader: BlobReader, span: ByteSpan, shift = 0): Promise<unknown> {
  const place = (range: ByteSpan | undefined): unknown =>
    range && [range.start + shift, range.end + shift];
  const type = await jsonTypeAt(reader, span.start);
  if (type === "array") {
    const count = await arrayLength(reader, span);
    const elements: unknown[] = [];
    for (let element = 0; element <= count; element++) {
      const [range] = await elementRanges(reader, span, element, element + 1);
      elements.push(place(range), range && (await answers(reader, range, shift)));
      elements.push(place(await arrayRange(reader, span, element, element + 3)));
    }
    return [count, elements];
  }
  if (type !== "object") return type;
  const { members, memberCount } = await memberKeys(reader, span, Infinity);
  const values: unknown[] = [];
  for (const { key } of [...members, { key: "not there" }]) {
    if (key === undefined) continue;
    const range = await memberRange(reader, span, key);
    values.push(key, place(range), range && (await answers(reader, range, shift)));
  }
  return [memberCount, members, values];
}

const container = jsonText.filter((json) => /^[[{]/.test(json));

describe("with places of what is nested", () => {
  test("every question is answered as by a scan", async () => {
    await fc.assert(
      fc.asyncProperty(container, anyDensity, pieceSizes, async (json, options, sizes) => {
        const plain = createBytesReader(
          Buffer.from(json),
          createBytesReader(Buffer.from(json)).stat,
        );
        const indexed = readerOf(json, options, sizes);
        expect(await answers(indexed, wholeSpan(indexed))).toEqual(
          await answers(plain, wholeSpan(plain)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("each key is found among many that are mostly in order, by text or by number", async () => {
    const beginning = fc.constantFrom("", "item ", "größe/", "🚀", "k".repeat(50));
    const numbers = fc.array(fc.nat({ max: 300 }), { minLength: 20, maxLength: 120 });
    const others = fc.array(fc.tuple(fc.nat(), stringLiteral), { maxLength: 4 });
    const order = fc.constantFrom("text", "number", "none");
    await fc.assert(
      fc.asyncProperty(
        fc.record({ beginning, numbers, others, order, isNested: fc.boolean() }),
        anyDensity,
        pieceSizes,
        async (shape, options, sizes) => {
          const keys = shape.numbers.map((number) => JSON.stringify(`${shape.beginning}${number}`));
          if (shape.order === "text") keys.sort();
          if (shape.order === "number")
            keys.sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
          for (const [at, key] of shape.others) keys.splice(at % keys.length, 0, key);
          const object = `{${keys.map((key, at) => `${key}:${at}`).join()}}`;
          const json = shape.isNested ? `[[],${object}]` : object;
          const reader = readerOf(json, options, sizes);
          const start =
            Buffer.byteLength(json) - Buffer.byteLength(object) - (shape.isNested ? 1 : 0);
          const span = { start, end: start + Buffer.byteLength(object) };
          const value = JSON.parse(object) as Readonly<Record<string, number>>;
          for (const key of [...Object.keys(value), "item", "item 301", "~", ""]) {
            const range = await memberRange(reader, span, key);
            const found = range && (await reader.read(range.start, range.end));
            expect([key, found && Number(Buffer.from(found).toString())]).toEqual([
              key,
              value[key],
            ]);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("a key counts where it is a key, and where it is last, however it is written", async () => {
    const objects = [
      '{"a":1,"b":{"a":2},"c":"a"}',
      '{"b":["a"],"c":{"d":{"a":1}},"a":{"a":3},"d":[{"a":4}]}',
      '{"a":1,"b":"\\"a\\"","\\u0061":5,"c":0}',
      '{"\\u0061":1,"b":2,"a":3,"c":"a"}',
      '{"b":1,"c":"\\"a\\":2"}',
      '{"a":1,"a":2,"c":"x","b":{"a":[3]}}',
      '{"a":1,"b":2,"c\\"a":3,"d":4}',
      '{"a":1,"b":{"c\\"a":2},"d":["a",{"a":3}]}',
    ];
    for (const json of objects) {
      const value = JSON.parse(json) as Readonly<Record<string, unknown>>;
      for (const minSpacingBytes of [1, 3, 8]) {
        const reader = readerOf(json, { minPartBytes: 1, minSpacingBytes });
        const range = await memberRange(reader, wholeSpan(reader), "a");
        const found = range && JSON.parse(json.slice(range.start, range.end));
        expect({ json, found }).toEqual({ json, found: value["a"] });
      }
    }
  });

  test("members behind a large value are found wherever a piece has ended", async () => {
    const json = `[{"a":["${"x".repeat(60)}"],"b":2,"c":3}]`;
    for (let at = 0; at < json.length; at++) {
      const reader = readerOf(json, { minPartBytes: 1, minSpacingBytes: 4 }, [at, json.length]);
      const [object] = await elementRanges(reader, wholeSpan(reader), 0, 1);
      if (object === undefined) throw new Error("no element");
      expect((await memberKeys(reader, object, 9)).members.map(({ key }) => key)).toEqual([
        "a",
        "b",
        "c",
      ]);
      expect(await memberRange(reader, object, "b")).toBeDefined();
    }
  });

  test("a value, and a slice, that is read as a blob of its own has its places", async () => {
    await fc.assert(
      fc.asyncProperty(
        jsonText,
        fc.array(jsonText, { minLength: 1 }),
        fc.nat(3),
        fc.nat(3),
        async (json, others, before, length) => {
          const bytes = Buffer.from(`[${[...others, json, ...others].join(" ,")}]`);
          const reader = readerOf(bytes, dense);
          const [range] = await elementRanges(
            reader,
            wholeSpan(reader),
            others.length,
            others.length + 1,
          );
          if (range === undefined) throw new Error("no element");
          const value = bytes.subarray(range.start, range.end);
          const plain = createBytesReader(value);
          const indexed = createBytesReader(value, plain.stat, indexOfValue(reader, range));
          expect(await answers(indexed, wholeSpan(indexed))).toEqual(
            await answers(plain, wholeSpan(plain)),
          );

          const from = Math.min(before, others.length);
          const to = from + 1 + length;
          const elements = await arrayRange(reader, wholeSpan(reader), from, to);
          if (elements === undefined) throw new Error("no elements");
          const count = Math.min(to, 2 * others.length + 1) - from;
          const slice = Buffer.from(`[${bytes.subarray(elements.start, elements.end).toString()}]`);
          const plainSlice = createBytesReader(slice);
          const index = indexOfSlice(reader, wholeSpan(reader), elements, {
            from,
            to: from + count,
          });
          const indexedSlice = createBytesReader(slice, plainSlice.stat, index);
          expect(await answers(indexedSlice, wholeSpan(indexedSlice))).toEqual(
            await answers(plainSlice, wholeSpan(plainSlice)),
          );
        },
      ),
    );
  });
});

describe("a large blob", () => {
  const rows = Array.from({ length: 150_000 }, (_, id) => ({ id, name: `row ${id}` }));
  const json = JSON.stringify({
    meta: { a: 1 },
    data: { first: "x".repeat(300_000), items: rows },
  });

  test("is read near what is asked for, three levels down", async () => {
    const reader = countingReader(json);
    const data = await memberRange(reader, wholeSpan(reader), "data");
    const items = data && (await memberRange(reader, data, "items"));
    const range = items && (await arrayRange(reader, items, 100_000, 100_006));
    const text = range && Buffer.from(await reader.read(range.start, range.end)).toString();
    expect(JSON.parse(`[${text}]`)).toEqual(rows.slice(100_000, 100_006));
    expect(items && (await arrayLength(reader, items))).toBe(150_000);
    expect(reader.counts.bytes).toBeLessThan(131_072);
  });

  test("that is nested deeper than its index goes is read all the same", async () => {
    const levels = 12;
    const inner = JSON.stringify(rows.slice(0, 20_000));
    const deep = `${'{"a":[0,'.repeat(levels)}${inner}${"]}".repeat(levels)}`;
    const reader = countingReader(deep);
    let span: ByteSpan | undefined = wholeSpan(reader);
    for (let level = 0; level < levels; level++) {
      span = span && (await memberRange(reader, span, "a"));
      [span] = span ? await elementRanges(reader, span, 1, 2) : [];
    }
    const [row] = span ? await elementRanges(reader, span, 19_000, 19_001) : [];
    const text = row && Buffer.from(await reader.read(row.start, row.end)).toString();
    expect(text && JSON.parse(text)).toEqual(rows[19_000]);
  });

  test("with small members behind large values in a nested object is read near them", async () => {
    const members = Array.from({ length: 300 }, (_, id) => `"k${id}":${id}`);
    const large = Array.from({ length: 20 }, (_, id) => `"s${id}":"${"x".repeat(100_000)}"`);
    const reader = countingReader(`[1,{${[...large, ...members, ...large].join(",")}}]`);
    const [object] = await elementRanges(reader, wholeSpan(reader), 1, 2);
    const range = object && (await memberRange(reader, object, "k150"));
    expect(range && Buffer.from(await reader.read(range.start, range.end)).toString()).toBe("150");
    expect(reader.counts.bytes).toBeLessThan(262_144);
  });

  test("is indexed in at most 1% of its size", () => {
    const { stat, index } = countingReader(json);
    expect(encodeBlobIndex({ stat, index }).length).toBeLessThan(json.length / 100);
  });
});

describe("an object of very many small members", () => {
  const pad = "p".repeat(200);
  const sorted = Array.from({ length: 200_000 }, (_, id) => `"k${id}":${id}`);
  const shuffled = Array.from(
    { length: 40_000 },
    (_, id) => `"${((id * 7919) % 40_009).toString(36)}":"${pad}"`,
  );

  test("whose keys are in order is read near the key", async () => {
    const reader = countingReader(`{${sorted.join(",")}}`);
    for (const key of ["k0", "k123456", "k199999", "k200000"]) {
      const before = reader.counts.bytes;
      const range = await memberRange(reader, wholeSpan(reader), key);
      expect(range === undefined).toBe(key === "k200000");
      expect(reader.counts.bytes - before).toBeLessThan(131_072);
    }
  });

  test("whose keys are in the order of their numbers is read in one place for each", async () => {
    const rest = ["last", "records", "a"].map((key) => `"${key}":0`);
    const numbered = sorted.map((_, id) => `"item ${id}":{"id":${id}}`);
    const reader = countingReader(`{"first":0,${[...numbered, ...rest].join(",")}}`);
    const keys = ["first", "item 0", "item 9", "item 9999", "item 12345", "item 199999", "a"];
    for (const key of [...keys, "item 200000"]) {
      const before = reader.counts.bytes;
      const range = await memberRange(reader, wholeSpan(reader), key);
      expect(range === undefined).toBe(key === "item 200000");
      expect(reader.counts.bytes - before).toBeLessThan(65_536);
    }
  });

  test.each([
    ["a path", (n: number) => `node_modules/größe/${n}.json`],
    ["more than is kept of a bound", (n: number) => `${"x".repeat(60)}${n}`],
    ["a character beyond the order of units", (n: number) => `🚀/${n}`],
    [
      "long words that differ at their end",
      (n: number) => `${"é".repeat(30)}${n % 7}${"é".repeat(30)}${n}`,
    ],
  ])("whose keys begin alike, with %s, has each of them", async (_, keyOf) => {
    const members = Array.from(
      { length: 3000 },
      (_member, n) => `${JSON.stringify(keyOf(n))}:"${pad}"`,
    );
    const reader = countingReader(`{${members.join()}}`);
    for (let n = 0; n < members.length; n += 97) {
      const range = await memberRange(reader, wholeSpan(reader), keyOf(n));
      expect(range && range.end - range.start).toBe(pad.length + 2);
    }
    for (const other of ["", "node_modules", "x", "🚀/3000", `${"x".repeat(60)}3000`]) {
      expect(await memberRange(reader, wholeSpan(reader), other)).toBeUndefined();
    }
  });

  test("whose keys are in no order is read in few places", async () => {
    const payload = `{${shuffled.join(",")}}`;
    const reader = countingReader(payload);
    for (const id of [0, 7, 20_000, 39_999]) {
      const before = reader.counts.bytes;
      const range = await memberRange(
        reader,
        wholeSpan(reader),
        ((id * 7919) % 40_009).toString(36),
      );
      expect(range && range.end - range.start).toBe(pad.length + 2);
      expect(reader.counts.bytes - before).toBeLessThan(262_144);
    }
    expect(await memberRange(reader, wholeSpan(reader), "not there")).toBeUndefined();
  });
});
