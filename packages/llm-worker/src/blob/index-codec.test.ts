import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlobIndex } from "./blob-index.js";
import type { BlobStat } from "./blob-store.js";
import {
  type BlobDescription,
  decodeBlobIndex,
  encodeBlobIndex,
  encodedEntrySize,
} from "./index-codec.js";

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

const index: fc.Arbitrary<BlobIndex> = fc.oneof(
  fc.record({
    type: fc.constantFrom("text" as const, "json_array" as const),
    stride: fc.integer({ min: 1 }),
    offsets: steps.map(offsetsOf),
  }),
  fc.record({
    type: fc.constant("json_object" as const),
    complete: fc.boolean(),
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
  bytes[4] = 2;
  expect(decodeBlobIndex(bytes)).toBeUndefined();
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
