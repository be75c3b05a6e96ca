import fc from "fast-check";
import { expect, test } from "vitest";
import type { KeyBlocks } from "./blob-index.js";
import { BlocksLayout, KeyBlockCollector } from "./key-blocks.js";
import { blocksWithKey } from "./key-search.js";
import { entriesOf } from "./lookup.js";

function blocksOf(blocks: readonly (readonly string[])[]): KeyBlocks {
  const collector = new KeyBlockCollector("whole");
  const collected = blocks.map((keys) => {
    for (const key of keys) collector.add(key, true);
    return collector.endBlock();
  });
  return new BlocksLayout(collected, collector.hashCount).layOut();
}

function found(blocks: KeyBlocks, key: string): number[] {
  return [...blocksWithKey(blocks, key)].map(({ block }) => block);
}

const unit = fc.constantFrom(
  "a",
  "b",
  "z",
  "\0",
  "~",
  "é",
  "漢",
  "\ud7ff",
  "😀",
  "\ud800",
  "\uffff",
);
const key = fc.oneof(
  fc.array(unit, { maxLength: 4 }),
  fc.array(unit, { minLength: 44, maxLength: 52 }),
  fc.nat(2000).map((n) => [`item ${n}`]),
);

test("each key is looked for in the block that has it", () => {
  const keys = fc.array(
    key.map((parts) => parts.join("")),
    { minLength: 1, maxLength: 4 },
  );
  const beginning = fc.constantFrom("", "p", "é/", "x".repeat(31), "x".repeat(40), "a\uffff", "😀");
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 40 }), beginning, (rests, start) => {
      const blocks = rests.map((some) => some.map((rest) => start + rest));
      const known = blocksOf(blocks);
      for (const [block, names] of blocks.entries()) {
        for (const name of names) expect(found(known, name)).toContain(block);
      }
    }),
  );
});

/** So many keys that their block has no filter. */
const MANY = 500;

test("a key that ends with a number is looked for in one block, wherever digits become more", () => {
  const names = Array.from({ length: 59_990 }, (_, n) => `item ${n}`);
  const blocks = blocksOf(inBlocks([...names, "last"]));
  for (const [n, name] of names.entries()) {
    expect(found(blocks, name)).toEqual([Math.floor(n / MANY)]);
  }
  expect(found(blocks, "last")).toEqual([119]);
  expect(found(blocks, "item 100000")).toEqual([]);
});

test("keys in the order of texts are looked for in one block", () => {
  const names = Array.from({ length: 20_000 }, (_, n) => `item ${n}`).toSorted();
  const blocks = blocksOf(inBlocks(names));
  for (const [n, name] of names.entries()) {
    expect(found(blocks, name)).toEqual([Math.floor(n / MANY)]);
  }
  expect(found(blocks, "item")).toEqual([]);
  expect(found(blocks, "other")).toEqual([]);
});

test("keys in order are told apart in a few bytes a block, others that they lie among as well", () => {
  const names = Array.from({ length: 1_000_000 }, (_, n) => `item ${n}`);
  names.splice(300_000, 0, "total", "z");
  names.unshift("records");
  const blocks = blocksOf(inBlocks(names));
  expect([...entriesOf(blocks.loose)]).toEqual([600]);
  expect(blocks.sorted.encodedSize).toBeLessThan(2000 * 7);
  for (const n of [0, 499, 77_777, 299_000, 300_500, 999_999]) {
    expect(found(blocks, `item ${n}`)).toEqual([Math.floor(names.indexOf(`item ${n}`) / MANY)]);
  }
  expect(found(blocks, "item 300000")[0]).toBe(600);
  expect([found(blocks, "records"), found(blocks, "total")]).toEqual([[0], [600]]);
  expect([found(blocks, "y"), found(blocks, "item 1000000")]).toEqual([[], []]);
});

function inBlocks(keys: readonly string[]): string[][] {
  const count = Math.ceil(keys.length / MANY);
  return Array.from({ length: count }, (_, block) => keys.slice(block * MANY, (block + 1) * MANY));
}
