import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainIndex } from "../../test/support/plain-index.js";
import type { BlobIndex, KeyBlocks, PartIndex } from "./blob-index.js";
import { CorruptIndexError } from "./blob-error.js";
import type { BlobStat } from "./blob-store.js";
import {
  type BlobDescription,
  decodeBlobIndex,
  encodeBlobIndex,
  openBlobIndex,
} from "./index-codec.js";
import { byLength, byText } from "./key-search.js";
import { memberList } from "./member-list.js";
import { encodedPartsSize, writeParts } from "./part-codec.js";
import { partList } from "./part-list.js";
import { orderOf, SortedKeys } from "./sorted-keys.js";
import { VarintWriter } from "./varint.js";

const count = fc.oneof(
  fc.nat(),
  fc.maxSafeNat().map((value) => Math.floor(value / 2)),
);
const anyText = fc.string({ unit: "binary", maxLength: 20 });
const withLoneSurrogates = fc.oneof(anyText, fc.constantFrom("\ud800", 'a"\\\udc00', ""));

const stat: fc.Arbitrary<BlobStat> = fc.record(
  {
    kind: fc.constantFrom("text", "json_array", "json_object", "json_value", "binary"),
    byteCount: count,
    mediaType: withLoneSurrogates,
    lineCount: count,
    entryCount: count,
    keyCount: count,
    validUtf8: fc.boolean(),
  },
  { requiredKeys: ["kind", "byteCount", "mediaType"] },
);

const steps = fc.array(fc.nat({ max: 1_000_000_000 }), { maxLength: 100 });

function offsetsOf(deltas: readonly number[]): number[] {
  let offset = 0;
  return deltas.map((delta) => (offset += delta));
}

const increasing = steps.map(offsetsOf);
const positions = { stride: fc.integer({ min: 1 }), offsets: increasing };

const rows = fc
  .integer({ min: 1, max: 9 })
  .chain((length) =>
    fc.array(fc.uint8Array({ minLength: length, maxLength: length }), { maxLength: 40 }),
  );

const boundRows = fc.record({ prefix: fc.string({ unit: "grapheme", maxLength: 5 }), rows });

const sortedKeys = fc.uniqueArray(withLoneSurrogates, { maxLength: 100 }).map((keys) => {
  const blocksOfOne = keys.map((key) => {
    const [text, length] = [byText(key), byLength({ text: key, length: key.length })];
    const bounds = { lowest: text, highest: text, shortest: length, longest: length };
    return { ...bounds, lengths: 0, hasEscapes: key === "" };
  });
  return SortedKeys.of(blocksOfOne, orderOf(blocksOfOne));
});

const blocks: fc.Arbitrary<KeyBlocks> = fc.record({
  sorted: sortedKeys,
  loose: increasing,
  bounds: boundRows,
  groupBounds: boundRows,
  hashCount: fc.nat({ max: 7 }),
  filters: rows,
});

const part: fc.Arbitrary<PartIndex> = fc
  .record({
    type: fc.constantFrom("array" as const, "object" as const),
    start: count,
    size: fc.nat(),
    spacing: fc.nat(),
    offsets: increasing,
    numbers: increasing,
    blocks: fc.option(blocks, { nil: undefined }),
  })
  .map(({ type, start, size, spacing, offsets, numbers, blocks: known }) => {
    const places = { start, end: start + size, count: size, spacing, offsets };
    if (type === "array") return { ...places, type, numbers };
    return known === undefined ? { ...places, type } : { ...places, type, blocks: known };
  });

const parts = fc
  .array(part, { maxLength: 4 })
  .map((some) => partList(some.sort((one, other) => one.start - other.start)));

const members = fc
  .array(fc.tuple(withLoneSurrogates, fc.nat(), fc.nat()), { maxLength: 50 })
  .map((some) => {
    let at = 0;
    return some.map(([key, gap, size]) => {
      const start = at + gap;
      at = start + size;
      return { key, start, end: at };
    });
  });

const index: fc.Arbitrary<BlobIndex> = fc.oneof(
  fc.record({ type: fc.constant("json_array" as const), parts }),
  fc.record(
    { type: fc.constant("text" as const), ...positions, entries: fc.record(positions) },
    { requiredKeys: ["type", "stride", "offsets"] },
  ),
  fc.record(
    { type: fc.constant("json_object" as const), parts, members: members.map(memberList) },
    { requiredKeys: ["type", "parts"] },
  ),
);

const description: fc.Arbitrary<BlobDescription> = fc.record(
  { stat, index },
  { requiredKeys: ["stat"] },
);

test("reading gives what was written", () => {
  fc.assert(
    fc.property(description, (written) => {
      const read = decodeBlobIndex(encodeBlobIndex(written));
      expect(read?.stat).toEqual(written.stat);
      expect(plainIndex(read?.index)).toEqual(plainIndex(written.index));
    }),
    { numRuns: 500 },
  );
});

test("what parts take is reckoned as it is written", () => {
  fc.assert(
    fc.property(parts, (some) => {
      const writer = new VarintWriter();
      writeParts(writer, some);
      expect(encodedPartsSize(some)).toBe(writer.bytes.length);
    }),
    { numRuns: 500 },
  );
});

test("a member is found by its key, the last of those that share it", () => {
  fc.assert(
    fc.property(stat, members, withLoneSurrogates, (of, written, other) => {
      const listed: BlobIndex = {
        type: "json_object",
        members: memberList(written),
        parts: partList([]),
      };
      const read = decodeBlobIndex(encodeBlobIndex({ stat: of, index: listed }))?.index;
      if (read?.type !== "json_object") throw new Error("no object index");
      for (const key of [...written.map((member) => member.key), other]) {
        expect(read.members?.last(key)).toEqual(listed.members?.last(key));
      }
    }),
  );
});

test("bytes of any origin are refused without an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodeBlobIndex(bytes)).toBeUndefined();
      expect(openBlobIndex(bytes)).toBeUndefined();
    }),
  );
});

test("a version that is not known is refused", () => {
  const bytes = encodeBlobIndex({ stat: { kind: "binary", byteCount: 1, mediaType: "x/y" } });
  for (const version of [0, 1, 2, 3, 4, 6]) {
    bytes[4] = version;
    expect(decodeBlobIndex(bytes)).toBeUndefined();
  }
});

describe("of a broken index", () => {
  test("no byte can be changed and no end cut off without notice", () => {
    fc.assert(
      fc.property(description, fc.integer({ min: 1, max: 255 }), (written, change) => {
        const bytes = encodeBlobIndex(written);
        for (let at = 0; at < bytes.length; at += 1 + Math.floor(bytes.length / 300)) {
          const broken = Uint8Array.from(bytes);
          broken[at] = (broken[at] as number) ^ change;
          expect(decodeBlobIndex(broken)).toBeUndefined();
          expect(decodeBlobIndex(bytes.subarray(0, at))).toBeUndefined();
        }
        expect(decodeBlobIndex(Buffer.concat([bytes, Buffer.from([0])]))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test("runs that have changed places are noticed", () => {
    const offsets = Array.from(
      { length: 5000 },
      (_, line) => line * 70_001 + ((line * 7919) % 60_000),
    );
    const text: BlobStat = { kind: "text", byteCount: 4e8, mediaType: "text/plain" };
    const bytes = encodeBlobIndex({ stat: text, index: { type: "text", stride: 64, offsets } });
    const swapped = Uint8Array.from(bytes);
    swapped.copyWithin(bytes.length - 1024, bytes.length - 2048, bytes.length - 1024);
    swapped.set(bytes.subarray(-1024), bytes.length - 2048);
    expect(decodeBlobIndex(swapped)).toBeUndefined();
  });

  test("what is looked up is right, or throws after the store was told", () => {
    fc.assert(
      fc.property(
        description,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (written, at, change) => {
          const broken = Uint8Array.from(encodeBlobIndex(written));
          const place = at % broken.length;
          broken[place] = (broken[place] as number) ^ change;
          let isTold = false;
          const opened = openBlobIndex(broken, () => (isTold = true));
          const looks = looksAt(written.index);
          for (const [position, look] of looksAt(opened?.index).entries()) {
            const found = resultOf(look);
            const isRefused = found instanceof CorruptIndexError && isTold;
            expect(isRefused || found).toEqual(isRefused || looks[position]?.());
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

function resultOf(look: () => unknown): unknown {
  try {
    return look();
  } catch (error) {
    return error;
  }
}

/** Looks at single entries of an index. */
function looksAt(of: BlobIndex | undefined): readonly (() => unknown)[] {
  if (of === undefined) return [];
  if (of.type === "text") {
    return Array.from({ length: of.offsets.length }, (_, at) => () => of.offsets.at(at));
  }
  return Array.from({ length: of.parts.length }, (_, at) => () => {
    const found = of.parts.at(at);
    return [found?.start, found?.offsets.at(3), found?.count];
  });
}
