import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpusOutputs, hasCorpus, skippedWhen } from "../../test/support/corpus.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import type { PartIndex } from "./blob-index.js";
import { JsonIndexer } from "./json-indexer.js";
import { JsonPartScanner } from "./json-part-scanner.js";
import { JsonScanner } from "./json-scanner.js";
import { MAX_INDEXED_KEY_UNITS } from "./member-indexer.js";
import { encodedPartsSize } from "./part-codec.js";
import { PartIndexer, type PartIndexerOptions } from "./part-indexer.js";
import { MAX_MARKED_DEPTH } from "./scan-memory.js";

interface FoundKey {
  readonly depth: number;
  readonly key: string | undefined;
  readonly start: number;
  readonly isPlain: boolean;
}

/** The keys of the value that is all of the bytes `[start, end)`, and of those in it that get marks. */
function keysOf(bytes: Buffer, start = 0, end: number = bytes.length, depth = 1): FoundKey[] {
  if (depth > MAX_MARKED_DEPTH) return [];
  const keys: FoundKey[] = [];
  const values: { start: number; end: number; firstByte: number }[] = [];
  const scan = new JsonPartScanner(
    {
      onElement: (from, to, firstByte) => values.push({ start: from, end: to, firstByte }),
      onMember: (member) => {
        const { key, keyStart, keyEnd } = member;
        const isPlain = key !== undefined && !bytes.subarray(keyStart, keyEnd).includes("\\");
        keys.push({ depth, key, start: keyStart, isPlain });
        values.push(member);
      },
    },
    { base: start, maxKeyUnits: MAX_INDEXED_KEY_UNITS },
  );
  scan.write(bytes.subarray(start, end));
  if (scan.scanner.rootType === undefined) return [];
  const nested = values
    .filter(({ firstByte }) => firstByte === 0x5b || firstByte === 0x7b)
    .flatMap((value) => keysOf(bytes, value.start, value.end, depth + 1));
  return [...keys, ...nested];
}

/** What a `PartIndexer` makes of keys that are added one by one. */
function addedOneByOne(bytes: Buffer, options: PartIndexerOptions): readonly PartIndex[] {
  const parts = new PartIndexer(options, () => undefined);
  const keys = keysOf(bytes).toSorted((one, other) => one.start - other.start);
  let next = 0;
  const addUpTo = (offset: number): void => {
    for (
      let found = keys[next];
      found !== undefined && found.start < offset;
      found = keys[++next]
    ) {
      const { depth, key, isPlain } = found;
      if (parts.wantsKeys(depth)) parts.addKey(depth, key, isPlain);
    }
  };
  const scanner = new JsonScanner({
    marks: {
      spacing: parts.spacing,
      onMark: (depth, type, start, offset, number) => {
        addUpTo(offset);
        parts.onMark(depth, type, start, offset, number);
      },
      onEnd: (depth, type, start, end, count) => {
        addUpTo(end);
        parts.onEnd(depth, type, start, end, count);
      },
      wantsKeys: () => false,
      onKeys: () => undefined,
    },
  });
  scanner.write(bytes);
  return parts.finish(Infinity, encodedPartsSize);
}

function indexed(
  bytes: Buffer,
  options: PartIndexerOptions,
  sizes: readonly number[],
): readonly PartIndex[] {
  const indexer = new JsonIndexer(options);
  for (const piece of cut(bytes, sizes)) indexer.write(piece);
  expect(indexer.end()).toBeDefined();
  return indexer.parts(Infinity, "searched");
}

const keyText = fc.oneof(
  fc.nat(120).map((n) => `item ${n}`),
  fc.array(fc.constantFrom("a", "b", "~", "\u007f", " "), { maxLength: 4 }).map((a) => a.join("")),
  // Around the length from which on the rest of a key does not count.
  fc.tuple(fc.integer({ min: 45, max: 51 }), fc.constantFrom("", "a", "b")).map(([length, end]) => {
    return "k".repeat(length) + end;
  }),
  fc.integer({ min: 1020, max: 1027 }).map((length) => "x".repeat(length)),
  fc.constantFrom("é", "漢", "z😀", "\\n", '\\"', "\\u006b", "k\\u006b", "\\ud800"),
);

const json = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("0", "null", '""', '"a longer text, with { and \\" in it"'),
    tie("object"),
    fc.array(tie("value"), { maxLength: 5 }).map((values) => `[${values.join(", ")}]`),
  ),
  object: fc
    .array(
      fc.tuple(keyText, tie("value")).map(([key, value]) => `"${key}":${value}`),
      { maxLength: 12 },
    )
    .map((members) => `{${members.join(",")}}`),
})).value;

const options: fc.Arbitrary<PartIndexerOptions> = fc.record({
  minPartBytes: fc.integer({ min: 1, max: 40 }),
  minSpacingBytes: fc.integer({ min: 1, max: 60 }),
  maxHeld: fc.integer({ min: 0, max: 400 }),
});

/** Members of which some have values with members of their own, and keys of all kinds. */
function manyMembers(count: number): string {
  const members = Array.from({ length: count }, (_, n) => {
    const odd = ["é", "漢", "\\n", "x".repeat(n % 1100)][(n / 97) % 4] ?? "";
    const value = n % 1013 === 0 ? manyNested(n) : n;
    return `"${odd}${n % 11 === 0 ? "" : "item "}${(n * 7919) % 100_003}":${value}`;
  });
  return `{${members.join(",")}}`;
}

function manyNested(count: number): string {
  return JSON.stringify({ all: Object.fromEntries([...Array(count).keys()].map((n) => [n, n])) });
}

describe("keys that are collected many at once", () => {
  test("give the index that they give one by one, wherever they are cut", () => {
    fc.assert(
      fc.property(json, options, pieceSizes, (text, density, sizes) => {
        const bytes = Buffer.from(text);
        expect(indexed(bytes, density, sizes)).toEqual(addedOneByOne(bytes, density));
      }),
      { numRuns: 300 },
    );
  });

  test("give it in objects of very many members", () => {
    const bytes = Buffer.from(manyMembers(12_000));
    for (const density of [{}, { minPartBytes: 1, minSpacingBytes: 700, maxHeld: 5000 }]) {
      const expected = addedOneByOne(bytes, density);
      expect(expected.length).toBeGreaterThan(3);
      for (const sizes of [[Infinity], [1009, 16_384, 77], [65_536]]) {
        expect(indexed(bytes, density, sizes)).toEqual(expected);
      }
    }
  });

  test.skipIf(!hasCorpus)(`give it in the JSON that tools made${skippedWhen}`, () => {
    const density = { minPartBytes: 1000, minSpacingBytes: 500 };
    for (const output of corpusOutputs()) {
      const isShort = output.byteCount < 1_000_000;
      if (!isShort || (output.json !== "array" && output.json !== "object")) continue;
      const bytes = output.bytes();
      expect(indexed(bytes, density, [4093])).toEqual(addedOneByOne(bytes, density));
    }
  });
});
