import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpusOutputs, hasCorpus, skippedWhen } from "../../test/support/corpus.js";
import { jsonText } from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import type { BlobKind } from "./blob-store.js";
import {
  BlobIndexBuilder,
  type BlobIndexBuilderOptions,
  MAX_INDEX_SHARE,
  MIN_INDEXED_BYTES,
} from "./index-builder.js";
import { type BlobDescription, encodeBlobIndex } from "./index-codec.js";
import { entriesOf } from "./lookup.js";

function describeBytes(
  payload: string | Uint8Array,
  options?: BlobIndexBuilderOptions,
  sizes: readonly number[] = [Infinity],
): BlobDescription {
  const builder = new BlobIndexBuilder(options);
  for (const piece of cut(Buffer.from(payload), sizes)) builder.write(piece);
  return builder.finish();
}

function shareOfIndex(description: BlobDescription): number {
  return encodeBlobIndex(description).length / description.stat.byteCount;
}

function kindOf(value: unknown): BlobKind {
  if (Array.isArray(value)) return "json_array";
  return typeof value === "object" && value !== null ? "json_object" : "json_value";
}

function lengthOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

const latin1 = Buffer.from("na\xefve caf\xe9 au lait, s'il vous pla\xeet\n".repeat(9), "latin1");

describe("BlobIndexBuilder finds out what bytes are", () => {
  test.each<[string, string | Uint8Array, BlobKind]>([
    ["nothing at all", "", "text"],
    ["a line of log that begins like JSON", "[INFO] start {\n", "text"],
    ["an array with space around it", " [1, 2]\r\n", "json_array"],
    ["an object", '{"a":1}', "json_object"],
    ["a JSON scalar", '"text"', "text"],
    ["two JSON values", "{}\n{}\n", "text"],
    ["JSON after a byte order mark", "\ufeff[]", "text"],
    ["text with a NUL in it", "a\0b", "binary"],
    ["text of an unknown encoding", latin1, "text"],
    ["bytes that are hardly text", Buffer.from("日本語".repeat(9), "utf16le"), "binary"],
    ["an array with a broken character", Buffer.from('["\xff aaaaaaaaaaaaaa"]', "latin1"), "text"],
  ])("%s", (_, payload, kind) => {
    expect(describeBytes(payload).stat.kind).toBe(kind);
    expect(describeBytes(payload, {}, [1]).stat.kind).toBe(kind);
  });

  test("an array of 20,000 records in one line", () => {
    const records = Array.from({ length: 20_000 }, (_, id) => ({ id, n: "x" }));
    const { stat } = describeBytes(JSON.stringify(records));
    expect(stat).toEqual({
      kind: "json_array",
      byteCount: 408_891,
      mediaType: "application/json",
      entryCount: 20_000,
    });
  });

  test("an object of 10,000 keys, and one whose keys occur twice", () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i] as const);
    expect(describeBytes(JSON.stringify(Object.fromEntries(keys))).stat.keyCount).toBe(10_000);
    expect(describeBytes('{"k":1,"\\u006b":2}').stat.keyCount).toBe(2);
  });

  test("text in an unknown encoding is described as such, with its lines", () => {
    expect(describeBytes(latin1).stat).toEqual({
      kind: "text",
      byteCount: latin1.length,
      mediaType: "text/plain; charset=unknown-8bit",
      lineCount: 9,
      validUtf8: false,
    });
  });

  test("any JSON, in any pieces, is what JSON.parse says", () => {
    fc.assert(
      fc.property(jsonText, pieceSizes, (json, sizes) => {
        const { stat } = describeBytes(json, { kind: "structured" }, sizes);
        expect(stat.kind).toBe(kindOf(JSON.parse(json)));
        expect(stat.entryCount).toBe(lengthOf(JSON.parse(json)));
        expect(stat.byteCount).toBe(Buffer.byteLength(json));
      }),
    );
  });

  describe.skipIf(!hasCorpus)(`recorded tool outputs${skippedWhen}`, () => {
    test("kind, totals and validity of each are what its manifest says", () => {
      for (const output of corpusOutputs()) {
        const { stat } = describeBytes(output.bytes(), {}, [65_536]);
        const isText = stat.kind === "text";
        expect({
          file: output.file,
          byteCount: stat.byteCount,
          json: stat.kind.startsWith("json") ? stat.kind : "no",
          lineCount: isText ? stat.lineCount : output.lineCount,
          isUtf8: isText ? stat.validUtf8 !== false : output.isUtf8,
          isBinary: output.hasNul && stat.kind === "binary",
        }).toEqual({
          file: output.file,
          byteCount: output.byteCount,
          json: /^(array|object)$/.test(output.json) ? `json_${output.json}` : "no",
          lineCount: output.lineCount,
          isUtf8: output.isUtf8,
          isBinary: output.hasNul,
        });
      }
    });
  });
});

describe("BlobIndexBuilder believes what it is told", () => {
  test.each<[string, string | Uint8Array, BlobIndexBuilderOptions, BlobKind, string]>([
    ["text that is JSON", "[1]", { kind: "text" }, "text", "text/plain; charset=utf-8"],
    ["text with a NUL", "a\0b", { kind: "text" }, "text", "text/plain; charset=utf-8"],
    ["a JSON scalar", " 1.50 ", { kind: "structured" }, "json_value", "application/json"],
    ["JSON that is none", "[1", { kind: "structured" }, "text", "text/plain; charset=utf-8"],
    ["bytes that are JSON", "[1]", { kind: "binary" }, "binary", "application/octet-stream"],
    ["an image", "[1]", { mediaType: "image/png" }, "binary", "image/png"],
    ["a table", "[1]", { mediaType: "text/csv" }, "text", "text/csv"],
    [
      "geo data",
      "{}",
      { mediaType: "application/geo+json" },
      "json_object",
      "application/geo+json",
    ],
    ["JSON cut short", "{", { mediaType: "application/json" }, "text", "text/plain; charset=utf-8"],
    ["JSON that is binary", "\0", { mediaType: "text/json" }, "binary", "application/octet-stream"],
  ])("%s", (_, payload, options, kind, mediaType) => {
    expect(describeBytes(payload, options).stat).toMatchObject({ kind, mediaType });
  });

  test("bytes of a text media type are read by lines, valid UTF-8 or not", () => {
    const utf16 = Buffer.from("a\nb", "utf16le");
    const options = { kind: "binary", mediaType: "text/plain; charset=utf-16" } as const;
    expect(describeBytes(utf16, options).stat).toMatchObject({ kind: "text", lineCount: 2 });
    expect(describeBytes(latin1, options).stat).toMatchObject({
      kind: "text",
      mediaType: options.mediaType,
      validUtf8: false,
      lineCount: 9,
    });
  });
});

describe("the index that BlobIndexBuilder makes", () => {
  test("is left out for small blobs and for what has no parts", () => {
    const small = "x\n".repeat(MIN_INDEXED_BYTES / 2 - 1);
    expect(describeBytes(small).index).toBeUndefined();
    expect(describeBytes(`${small}x\n`).index?.type).toBe("text");
    const large = "x".repeat(MIN_INDEXED_BYTES);
    expect(describeBytes(large, { kind: "binary" }).index).toBeUndefined();
    expect(describeBytes(`"${large}"`, { kind: "structured" }).index).toBeUndefined();
  });

  test.each<[string, string, number]>([
    ["many short lines", "x\n", 200_000],
    ["lines", `${"x".repeat(70)}\n`, 6_000],
    ["huge lines", `${"x".repeat(100_000)}\n`, 4],
  ])("has exact places of %s and takes at most 1%%", (_, line, lineCount) => {
    const description = describeBytes(line.repeat(lineCount), {}, [10_007]);
    const { stat, index } = description;
    expect(stat.lineCount).toBe(lineCount);
    expect(shareOfIndex(description)).toBeLessThanOrEqual(MAX_INDEX_SHARE);
    if (index?.type !== "text") throw new Error("no text index");
    expect(index.offsets).toHaveLength(Math.ceil(lineCount / index.stride));
    expect(
      [...entriesOf(index.offsets)].every((offset, i) => offset === i * index.stride * line.length),
    ).toBe(true);
  });

  test("has exact places of elements and takes at most 1%", () => {
    const json = JSON.stringify(Array.from({ length: 30_000 }, (_, id) => ({ id, tag: ["漢"] })));
    const description = describeBytes(json, {}, [10_007]);
    const { index } = description;
    expect(shareOfIndex(description)).toBeLessThanOrEqual(MAX_INDEX_SHARE);
    if (index?.type !== "json_array") throw new Error("no array index");
    const bytes = Buffer.from(json);
    const array = index.parts.at(0);
    expect(array).toMatchObject({ type: "array", start: 0, end: bytes.length, count: 30_000 });
    if (array?.type !== "array") throw new Error("no array");
    expect(array.offsets.length).toBeGreaterThan(50);
    for (const [i, offset] of [...entriesOf(array.offsets)].entries()) {
      const start = `{"id":${array.numbers.at(i)},`;
      expect(bytes.toString("utf8", offset, offset + start.length)).toBe(start);
    }
  });

  test("has all keys of an object where they fit, with the places of their values", () => {
    const object = { first: "x".repeat(300_000), "\u006b\n": [1, 2], last: null };
    const json = JSON.stringify(object);
    const { index, stat } = describeBytes(json, {}, [1000]);
    if (index?.type !== "json_object") throw new Error("no object index");
    expect(stat.keyCount).toBe(3);
    const values = [...entriesOf(index.members ?? [])].map(({ key, start, end }) => [
      key,
      JSON.parse(json.slice(start, end)) as unknown,
    ]);
    expect(values).toEqual(Object.entries(object));
  });

  test("lists no members where they are too many, but has places among them", () => {
    const members = Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, i] as const);
    const json = JSON.stringify({ ...Object.fromEntries(members), big: "x".repeat(50_000) });
    const description = describeBytes(json, {}, [10_007]);
    const { index } = description;
    if (index?.type !== "json_object") throw new Error("no object index");
    expect(shareOfIndex(description)).toBeLessThanOrEqual(MAX_INDEX_SHARE);
    expect(index.members).toBeUndefined();
    const object = index.parts.at(0);
    const bytes = Buffer.from(json);
    expect(object).toMatchObject({ type: "object", start: 0, end: bytes.length, count: 20_001 });
    expect(object?.offsets.length).toBeGreaterThan(10);
    for (const offset of entriesOf(object?.offsets ?? [])) {
      expect(bytes.toString("utf8", offset - 1, offset + 5)).toMatch(/^,"(key |big")/);
    }
  });
});
