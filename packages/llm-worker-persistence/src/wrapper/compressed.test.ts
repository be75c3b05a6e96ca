import { contentBytes, encodeBlobIndex } from "llm-worker/blob";
import type { Content } from "llm-worker/blob";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  entriesOf,
  payloads,
  randomBytes,
  readRange,
  writeStream,
} from "../../test/support/blob-pieces.js";
import { countingStore } from "../../test/support/counting-store.js";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { binary, json, largeArray, largeText, text } from "../testing/samples.js";
import { compressed } from "./compressed.js";
import { FRAMES_MEDIA_TYPE } from "./frame-table.js";

const KIB = 1024;

describe("what is read is what was stored", () => {
  test("any range of any payload, stored whole or as a stream cut anywhere", async () => {
    const sizes = fc.integer({ min: 1, max: 40_000 });
    const options = fc.record({
      frameBytes: fc.integer({ min: KIB, max: 9000 }),
      minBytes: fc.nat({ max: 5000 }),
      level: fc.integer({ min: 1, max: 9 }),
    });
    const offset = fc.nat({ max: 40_000 });
    await fc.assert(
      fc.asyncProperty(
        payloads,
        options,
        sizes,
        offset,
        offset,
        async (bytes, how, piece, a, b) => {
          const store = compressed(new MemoryBlobStore(), how);
          const ids = [
            await store.store(binary(bytes)),
            await writeStream(store, bytes, piece),
            await writeStream(store, bytes, piece, "image/png"),
          ];
          for (const id of ids) {
            expect(Buffer.from(await readRange(store, id, a, b))).toEqual(bytes.subarray(a, b));
            const loaded = contentBytes(await store.load(id));
            expect(Buffer.compare(loaded, bytes)).toBe(0);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("kind, totals and index are those of the payload", async () => {
    for (const content of [text(largeText()), json(largeArray()), json('{"a":1,"b":[2]}')]) {
      const plain = new MemoryBlobStore();
      const expected = await plain.openReader(await plain.store(content));
      const store = compressed(new MemoryBlobStore(), { minBytes: 0 });
      const reader = await store.openReader(await store.store(content));
      expect(reader.stat).toEqual(expected.stat);
      expect(encodeBlobIndex(reader)).toEqual(encodeBlobIndex(expected));
    }
  });

  test("a table that is longer than the first read is read whole", async () => {
    const inner = countingStore(new MemoryBlobStore());
    const store = compressed(inner, { frameBytes: KIB, level: 1 });
    const bytes = randomBytes(2100 * KIB);
    const id = await store.store(binary(bytes));
    const read = await readRange(store, id, 2_000_000, 2_000_010);
    expect(Buffer.from(read)).toEqual(Buffer.from(bytes.subarray(2_000_000, 2_000_010)));
    expect(inner.counts.reads.length).toBe(3);
  });
});

describe("what is stored", () => {
  test("takes less room, in a blob of a media type of its own", async () => {
    const inner = new MemoryBlobStore();
    const id = await compressed(inner).store(text(largeText()));
    const stat = await inner.stat(id);
    expect(stat).toMatchObject({ kind: "binary", mediaType: FRAMES_MEDIA_TYPE });
    expect(stat.byteCount).toBeLessThan(Buffer.byteLength(largeText()) / 4);
  });

  test("is hardly larger than what cannot be compressed", async () => {
    const inner = new MemoryBlobStore();
    const bytes = randomBytes(640 * KIB);
    const id = await compressed(inner, { frameBytes: 64 * KIB }).store(binary(bytes));
    expect((await inner.stat(id)).byteCount - bytes.length).toBeLessThanOrEqual(10 * 8 + 100);
  });

  test("is the blob itself if that is small, stored whole or as a stream", async () => {
    const inner = new MemoryBlobStore();
    const store = compressed(inner, { minBytes: 1000 });
    const contents: Content[] = [
      text("x".repeat(999)),
      json(`["${"é".repeat(400)}"]`),
      binary(randomBytes(10), "image/png"),
    ];
    for (const content of contents) {
      expect(await inner.load(await store.store(content))).toEqual(await reloaded(content));
      const mediaType = content.type === "binary" ? content.mediaType : undefined;
      const id = await writeStream(store, contentBytes(content), 300, mediaType);
      expect(await inner.load(id)).toEqual(await reloaded(content));
    }
    const { mediaType } = await inner.stat(await writeStream(store, new Uint8Array(1000), 999));
    expect(mediaType).toBe(FRAMES_MEDIA_TYPE);
  });

  test("may itself be of the media type of frames", async () => {
    const store = compressed(new MemoryBlobStore());
    for (const bytes of [randomBytes(10), new Uint8Array(100_000), new Uint8Array()]) {
      const content = binary(bytes, FRAMES_MEDIA_TYPE);
      for (const id of [
        await store.store(content),
        await writeStream(store, bytes, 64 * KIB, FRAMES_MEDIA_TYPE),
      ]) {
        expect((await store.stat(id)).mediaType).toBe(FRAMES_MEDIA_TYPE);
        expect(Buffer.compare(contentBytes(await store.load(id)), bytes)).toBe(0);
      }
    }
  });
});

test("blobs that were stored uncompressed are read, listed and deleted beside the others", async () => {
  const inner = new MemoryBlobStore();
  const plainId = await inner.store(text(largeText()));
  const store = compressed(inner);
  const id = await store.store(text(largeText()));
  for (const each of [plainId, id]) {
    expect(await store.load(each)).toEqual(text(largeText()));
    expect(await store.stat(each)).toMatchObject({ kind: "text", lineCount: 30_000 });
    expect(Buffer.from(await readRange(store, each, 0, 3)).toString()).toBe("0: ");
  }
  expect((await entriesOf(store)).map(({ byteCount }) => byteCount)).toEqual(
    Array(2).fill(Buffer.byteLength(largeText())),
  );
  expect(await store.delete(plainId)).toBe(true);
  expect(await store.exists(plainId)).toBe(false);
});

describe("a range costs the frames that it touches", () => {
  test("and the table", async () => {
    const inner = countingStore(new MemoryBlobStore());
    const store = compressed(inner, { frameBytes: 64 * KIB });
    const bytes = randomBytes(4096 * KIB);
    const reader = await store.openReader(await store.store(binary(bytes)));
    expect(inner.counts.reads.length).toBe(1);
    expect(inner.counts.readBytes).toBeLessThanOrEqual(16 * KIB);
    inner.counts.readBytes = 0;
    await reader.read(2_000_000, 2_000_010);
    expect(inner.counts.readBytes).toBe(64 * KIB);
    await reader.read(64 * KIB - 1, 64 * KIB + 1);
    expect(inner.counts.readBytes).toBe(3 * 64 * KIB);
    expect(inner.counts.reads.length).toBe(3);
  });

  test("and a long one is read in pieces", async () => {
    const inner = countingStore(new MemoryBlobStore());
    const store = compressed(inner, { frameBytes: 64 * KIB, level: 1 });
    const bytes = randomBytes(3 * 1024 * KIB + 5);
    const reader = await store.openReader(await store.store(binary(bytes)));
    const read = await reader.read(0, bytes.length);
    expect(Buffer.compare(read, bytes)).toBe(0);
    for (const [start, end] of inner.counts.reads)
      expect(end - start).toBeLessThanOrEqual(1024 * KIB);
  });
});

test("a stream is passed on while it comes: no more than one frame waits", async () => {
  const inner = countingStore(new MemoryBlobStore());
  const writer = await compressed(inner, { frameBytes: 8 * KIB }).openWriter();
  const bytes = randomBytes(500 * KIB);
  for (let start = 0; start < bytes.length; start += 7000) {
    const end = Math.min(start + 7000, bytes.length);
    await writer.write(bytes.subarray(start, end));
    expect(end - inner.counts.writtenBytes).toBeLessThan(8 * KIB);
  }
  await writer.abort();
  expect(await entriesOf(inner)).toEqual([]);
});

describe("a damaged blob is corrupt", () => {
  test("whatever byte was changed: no wrong byte is given out", async () => {
    const inner = new MemoryBlobStore();
    const store = compressed(inner, { frameBytes: KIB, minBytes: 0 });
    const bytes = Buffer.concat([randomBytes(1500), Buffer.alloc(1500, "text\n")]);
    const stored = contentBytes(await inner.load(await store.store(binary(bytes))));
    for (let position = 0; position < stored.length; position++) {
      const damaged = Buffer.from(stored);
      damaged[position] = (damaged[position] ?? 0) ^ 0x10;
      const id = await inner.store(binary(damaged, FRAMES_MEDIA_TYPE));
      const error = await readRange(store, id, 0, bytes.length).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "corrupt", blobId: id });
    }
  });

  test("if it is too short, or nothing of ours", async () => {
    const inner = new MemoryBlobStore();
    const store = compressed(inner);
    const whole = await inner.load(await store.store(text(largeText())));
    const bytes = contentBytes(whole);
    for (const part of [
      bytes.subarray(1),
      bytes.subarray(0, -1),
      bytes.subarray(-60),
      randomBytes(9),
    ]) {
      const id = await inner.store(binary(part, FRAMES_MEDIA_TYPE));
      await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt" });
      await expect(store.openReader(id)).rejects.toMatchObject({ code: "corrupt" });
    }
  });

  test("and still listed, by what it takes up, so that it can be deleted", async () => {
    const inner = new MemoryBlobStore();
    const store = compressed(inner);
    const id = await inner.store(binary(randomBytes(77), FRAMES_MEDIA_TYPE));
    expect(await entriesOf(store)).toMatchObject([{ id, byteCount: 77 }]);
    expect(await store.delete(id)).toBe(true);
  });

  test("while frames that are whole can be read", async () => {
    const inner = new MemoryBlobStore();
    const store = compressed(inner, { frameBytes: KIB, minBytes: 0 });
    const bytes = randomBytes(4 * KIB);
    const whole = Buffer.from(contentBytes(await inner.load(await store.store(binary(bytes)))));
    whole[KIB + 5] = (whole[KIB + 5] ?? 0) ^ 1;
    const id = await inner.store(binary(whole, FRAMES_MEDIA_TYPE));
    expect(Buffer.from(await readRange(store, id, 2 * KIB, 4 * KIB))).toEqual(
      Buffer.from(bytes.subarray(2 * KIB)),
    );
    await expect(readRange(store, id, 0, KIB + 1)).rejects.toMatchObject({ code: "corrupt" });
  });
});

test("no reader stays open, whatever was done", async () => {
  const inner = countingStore(new MemoryBlobStore());
  const store = compressed(inner);
  const id = await store.store(text(largeText()));
  await inner.store(binary(randomBytes(77), FRAMES_MEDIA_TYPE));
  await store.stat(id);
  await entriesOf(store);
  await store.load(id);
  await readRange(store, id, 0, 10);
  expect(inner.counts.openedReaders).toBeGreaterThan(3);
  expect(inner.counts.openReaders).toBe(0);
});

test("options out of bounds are refused", () => {
  const store = new MemoryBlobStore();
  for (const options of [
    { frameBytes: 0 },
    { frameBytes: 1.5e9 },
    { level: 0 },
    { level: 10 },
    { minBytes: -1 },
    { minBytes: Number.NaN },
  ]) {
    expect(() => compressed(store, options)).toThrow(RangeError);
  }
});

async function reloaded(content: Content): Promise<Content> {
  const store = new MemoryBlobStore();
  return store.load(await store.store(content));
}
