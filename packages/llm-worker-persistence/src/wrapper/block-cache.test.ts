import {
  type BlobDescription,
  BlobIndexBuilder,
  encodeBlobIndex,
  openBlobIndex,
} from "llm-worker/blob";
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import { BlockCache } from "./block-cache.js";

const ENTRY_BYTES = 256;

function description(lineCount: number): BlobDescription {
  return {
    stat: { kind: "text", byteCount: 1, mediaType: "text/plain" },
    index: { type: "text", stride: 1, offsets: new Float64Array(lineCount) },
  };
}

test("never holds more than it may, and what it says it holds", () => {
  const step = fc.record({
    type: fc.constantFrom("add", "add", "describe", "drop", "use"),
    id: fc.constantFrom("a", "b", "c"),
    number: fc.nat({ max: 4 }),
    byteCount: fc.nat({ max: 900 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat({ max: 3000 }), (steps, maxBytes) => {
      const cache = new BlockCache(maxBytes);
      for (const todo of steps) {
        const { type, id: each, number: position } = todo;
        if (type === "add") cache.addBlock(each, position, new Uint8Array(todo.byteCount));
        if (type === "describe") cache.addDescription(each, description(position));
        if (type === "drop") cache.drop(each);
        const block = cache.block(each, position);
        const fits = todo.byteCount + ENTRY_BYTES <= maxBytes;
        expect(type !== "add" || (block?.length === todo.byteCount) === fits).toBe(true);
        expect(type !== "drop" || (block ?? cache.description(each)) === undefined).toBe(true);
        const blockBytes = ["a", "b", "c"]
          .flatMap((id) => [0, 1, 2, 3, 4].map((number) => cache.block(id, number)?.length))
          .filter((length) => length !== undefined)
          .reduce((sum, length) => sum + length + ENTRY_BYTES, 0);
        expect(cache.byteCount).toBeLessThanOrEqual(maxBytes);
        expect(cache.byteCount).toBeGreaterThanOrEqual(blockBytes);
      }
      for (const each of ["a", "b", "c"]) cache.drop(each);
      expect(cache.byteCount).toBe(0);
    }),
  );
});

test("drives out what was used longest ago", () => {
  const cache = new BlockCache(3 * (100 + ENTRY_BYTES));
  for (const number of [1, 2, 3]) cache.addBlock("a", number, new Uint8Array(100));
  cache.block("a", 1);
  cache.addBlock("b", 1, new Uint8Array(100));
  expect([1, 2, 3].map((number) => cache.block("a", number) !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});

test("counts an index with all that it holds", () => {
  const cache = new BlockCache(100_000);
  cache.addDescription("a", description(1000));
  expect(cache.byteCount).toBeGreaterThanOrEqual(8000 + ENTRY_BYTES);
  cache.addDescription("a", { stat: description(0).stat });
  expect(cache.byteCount).toBe(ENTRY_BYTES);
});

test("counts the numbers of an index that a scan has made", () => {
  const builder = new BlobIndexBuilder({ kind: "text" });
  builder.write(Buffer.from("a line\n".repeat(1_000_000)));
  const { stat, index } = builder.finish();
  assert(index?.type === "text");
  const cache = new BlockCache(1_000_000);
  cache.addDescription("a", { stat, index });
  expect(cache.byteCount).toBeGreaterThanOrEqual(8 * index.offsets.length + ENTRY_BYTES);
});

test("counts an index that is looked into where it lies with the bytes that it lies in", () => {
  const bytes = encodeBlobIndex(description(5000));
  const opened = openBlobIndex(bytes);
  assert(opened?.index !== undefined);
  const cache = new BlockCache(100_000);
  cache.addDescription("a", opened);
  expect(cache.byteCount).toBe(bytes.buffer.byteLength + ENTRY_BYTES);
});
