import fc from "fast-check";
import { encodeBlobIndex } from "llm-worker/blob";
import { expect, test } from "vitest";
import { BLOCK_BYTES } from "./block-checksums.js";
import {
  decodeRecord,
  encodeRecord,
  type ObjectRecord,
  recordMetadata,
  recordOfMetadata,
} from "./object-record.js";

const record: fc.Arbitrary<ObjectRecord> = fc
  .record({
    checksums: fc.uint32Array({ minLength: 1, maxLength: 40 }),
    rest: fc.integer({ min: 1, max: BLOCK_BYTES }),
    mediaType: fc.string({ maxLength: 30 }),
  })
  .map(({ checksums, rest, mediaType }) => ({
    description: {
      stat: {
        kind: "binary",
        byteCount: (checksums.length - 1) * BLOCK_BYTES + rest,
        mediaType: mediaType.toWellFormed(),
      },
    },
    checksums,
  }));

test("reading gives what was written, as bytes and as metadata", () => {
  fc.assert(
    fc.property(record, (written) => {
      const encoded = encodeRecord(written);
      expect(decodeRecord(encoded)).toEqual(written);
      expect(recordOfMetadata(recordMetadata(encoded) ?? {})).toEqual(written);
    }),
  );
});

test("no byte can be changed and no end cut off without notice", () => {
  fc.assert(
    fc.property(record, fc.integer({ min: 1, max: 255 }), (written, change) => {
      const encoded = encodeRecord(written);
      for (let at = 0; at < encoded.length; at += 1) {
        const broken = Uint8Array.from(encoded);
        broken[at] = (broken[at] ?? 0) ^ change;
        expect(decodeRecord(broken)).toBeUndefined();
        expect(decodeRecord(encoded.subarray(0, at))).toBeUndefined();
      }
    }),
    { numRuns: 20 },
  );
});

test("bytes of any origin are refused without an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(decodeRecord(bytes)).toBeUndefined();
    }),
  );
});

test("the sidecar of a file store is read as well", () => {
  const description = { stat: { kind: "binary", byteCount: 5, mediaType: "image/png" } } as const;
  expect(decodeRecord(encodeBlobIndex(description))).toEqual({ description });
});

test("what is too long for metadata is not put there", () => {
  expect(recordMetadata(new Uint8Array(1024))).toBeDefined();
  expect(recordMetadata(new Uint8Array(1025))).toBeUndefined();
  expect(recordOfMetadata({ other: "x" })).toBeUndefined();
});
