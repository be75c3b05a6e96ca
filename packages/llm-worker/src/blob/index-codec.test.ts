import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlobIndex, KeyBlock, PartIndex } from "./blob-index.js";
import type { BlobStat } from "./blob-store.js";
import {
  type BlobDescription,
  decodeBlobIndex,
  encodeBlobIndex,
  encodedEntrySize,
} from "./index-codec.js";
import { FILTER_BYTES } from "./key-blocks.js";

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

const steps = fc.array(fc.nat({ max: 1_000_000_000 }), { maxLength: 30 });

function offsetsOf(deltas: readonly number[]): Float64Array {
  let offset = 0;
  return Float64Array.from(deltas, (delta) => (offset += delta));
}

const positions = { stride: fc.integer({ min: 1 }), offsets: steps.map(offsetsOf) };

const keyBlock: fc.Arbitrary<KeyBlock | undefined> = fc.option(
  fc.record(
    {
      lowest: withLoneSurrogates,
      highest: withLoneSurrogates,
      filter: fc.uint8Array({ minLength: FILTER_BYTES, maxLength: FILTER_BYTES }),
    },
    { requiredKeys: ["lowest", "highest"] },
  ),
  { nil: undefined },
);

const checkpoints = fc.array(fc.tuple(fc.nat(), fc.nat(), keyBlock), { maxLength: 5 });

const part: fc.Arbitrary<PartIndex> = fc
  .tuple(fc.constantFrom("array", "object"), count, fc.nat(), fc.nat(), checkpoints, keyBlock)
  .map(([type, start, size, spacing, places, lastBlock]) => {
    const offsets = offsetsOf(places.map(([, gap]) => gap)).map((offset) => offset + start);
    const numbers = offsetsOf(places.map(([gap]) => gap));
    const positions = { type, start, end: start + size, count: size, spacing, numbers, offsets };
    if (type === "array") return { ...positions, type };
    const blocks = [...places.map(([, , block]) => block), lastBlock];
    return { ...positions, type: "object", blocks: { hashCount: spacing % 7, blocks } };
  });

const parts = fc
  .array(part, { maxLength: 4 })
  .map((some) => some.sort((one, other) => one.start - other.start));

const index: fc.Arbitrary<BlobIndex> = fc.oneof(
  fc.record({ type: fc.constant("json_array" as const), parts }),
  fc.record(
    { type: fc.constant("text" as const), ...positions, entries: fc.record(positions) },
    { requiredKeys: ["type", "stride", "offsets"] },
  ),
  fc.record({
    type: fc.constant("json_object" as const),
    complete: fc.boolean(),
    parts,
    entries: fc
      .array(fc.tuple(withLoneSurrogates, fc.nat(), fc.nat()), { maxLength: 10 })
      .map((parts) => {
        let at = 0;
        return parts.map(([key, gap, size]) => {
          const start = at + gap;
          at = start + size;
          return { key, start, end: at };
        });
      }),
  }),
);

const description: fc.Arbitrary<BlobDescription> = fc.record(
  { stat, index },
  { requiredKeys: ["stat"] },
);

test("reading gives what was written", () => {
  fc.assert(
    fc.property(description, (written) => {
      expect(decodeBlobIndex(encodeBlobIndex(written))).toEqual(written);
    }),
    { numRuns: 500 },
  );
});

test("no byte can be changed and no end cut off without notice", () => {
  fc.assert(
    fc.property(description, fc.integer({ min: 1, max: 255 }), (written, change) => {
      const bytes = encodeBlobIndex(written);
      for (let at = 0; at < bytes.length; at++) {
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

test("bytes of any origin are refused without an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodeBlobIndex(bytes)).toBeUndefined();
    }),
  );
});

test("a version that is not known is refused", () => {
  const bytes = encodeBlobIndex({ stat: { kind: "binary", byteCount: 1, mediaType: "x/y" } });
  bytes[4] = 3;
  expect(decodeBlobIndex(bytes)).toBeUndefined();
});

test("the first version is read, but for its index of JSON, which has to be made anew", () => {
  fc.assert(
    fc.property(description, (written) => {
      if (written.index?.type === "text" && written.index.entries !== undefined) return;
      const isKept = written.index === undefined || written.index.type === "text";
      const current = Buffer.from(encodeBlobIndex(written));
      // A text's index ends with whether it has entries, which the first version does not say.
      const bytes = written.index?.type === "text" ? current.subarray(0, -1) : current;
      bytes[4] = 1;
      bytes.writeUInt32LE(crc32(bytes.subarray(9)), 5);
      expect(decodeBlobIndex(bytes)).toEqual(isKept ? written : undefined);
    }),
  );
});

test("an entry takes no more bytes than it is reckoned with", () => {
  fc.assert(
    fc.property(index, stat, (written, of) => {
      if (written.type !== "json_object") return;
      const size = (entries: typeof written.entries): number =>
        encodeBlobIndex({ stat: of, index: { ...written, entries } }).length;
      const reckoned = written.entries.reduce((sum, entry) => sum + encodedEntrySize(entry), 0);
      expect(size(written.entries) - size([])).toBeLessThanOrEqual(reckoned);
    }),
  );
});
