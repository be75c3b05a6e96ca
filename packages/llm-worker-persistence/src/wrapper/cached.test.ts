import { contentBytes } from "llm-worker/blob";
import type { BlobReader } from "llm-worker/blob";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entriesOf, payloads, randomBytes, readRange } from "../../test/support/blob-pieces.js";
import { type CountingStore, countingStore } from "../../test/support/counting-store.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { binary, largeText, text } from "../testing/samples.js";
import { cached } from "./cached.js";
import { CachedBlocks } from "./cached-blocks.js";

const KIB = 1024;
const MIB = 1024 * KIB;

interface HeldStore extends CompleteBlobStore {
  /** Resolves when the first read has the bytes. */
  readonly begun: Promise<void>;
  readonly letGo: () => void;
}

/** A store whose reads wait until they are let go. */
function heldStore(inner: CompleteBlobStore): HeldStore {
  const begun = signal();
  const going = signal();
  const held = (reader: BlobReader): BlobReader => ({
    stat: reader.stat,
    index: reader.index,
    async read(start, end) {
      const bytes = await reader.read(start, end);
      begun.give();
      await going.given;
      return bytes;
    },
    close: () => reader.close(),
  });
  const openReader = async (id: string): Promise<BlobReader> => held(await inner.openReader(id));
  const control = { openReader, begun: begun.given, letGo: going.give };
  return Object.assign(countingStore(inner), control);
}

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

async function stored(bytes: Uint8Array): Promise<{ inner: CountingStore; id: string }> {
  const inner = countingStore(new MemoryBlobStore());
  return { inner, id: await inner.store(binary(bytes)) };
}

describe("what was read", () => {
  test("is not asked for again: neither ranges, nor the whole, nor what the blob is", async () => {
    const inner = countingStore(new MemoryBlobStore());
    const id = await inner.store(text(largeText()));
    const store = cached(inner, { maxBytes: 16 * MIB });
    await store.load(id);
    const { openedReaders } = inner.counts;
    expect(inner.counts.reads).toEqual([[0, Buffer.byteLength(largeText())]]);
    expect(await store.load(id)).toEqual(text(largeText()));
    expect(Buffer.from(await readRange(store, id, 0, 3)).toString()).toBe("0: ");
    expect((await store.openReader(id)).index).toEqual((await inner.openReader(id)).index);
    expect(await store.stat(id)).toMatchObject({ lineCount: 30_000 });
    expect(inner.counts).toMatchObject({ openedReaders: openedReaders + 1, loads: 0 });
    expect(inner.counts.reads.length).toBe(1);
  });

  test("is read in whole blocks, neighbours at once", async () => {
    const { inner, id } = await stored(randomBytes(100 * KIB + 5));
    const reader = await cached(inner, { maxBytes: MIB, blockBytes: 10 * KIB }).openReader(id);
    await reader.read(25 * KIB, 25 * KIB + 1);
    await reader.read(0, 100 * KIB + 5);
    await reader.read(99 * KIB, 200 * KIB);
    expect(inner.counts.reads).toEqual([
      [20 * KIB, 30 * KIB],
      [0, 20 * KIB],
      [30 * KIB, 100 * KIB + 5],
    ]);
  });

  test("is right for any payload, ranges, block size and room", async () => {
    const position = fc.nat({ max: 40_000 });
    await fc.assert(
      fc.asyncProperty(
        payloads,
        fc.array(fc.tuple(position, position), { maxLength: 12 }),
        fc.integer({ min: KIB, max: 9 * KIB }),
        fc.nat({ max: 80_000 }),
        async (bytes, ranges, blockBytes, maxBytes) => {
          const { inner, id } = await stored(bytes);
          const store = cached(inner, { maxBytes, blockBytes });
          const reader = await store.openReader(id);
          const read = async ([start, end]: readonly [number, number]): Promise<void> => {
            expect(Buffer.compare(await reader.read(start, end), bytes.subarray(start, end))).toBe(
              0,
            );
          };
          for (const range of ranges) await read(range);
          await Promise.all(ranges.map(read));
          expect(Buffer.compare(contentBytes(await store.load(id)), bytes)).toBe(0);
          await reader.close();
          expect(inner.counts.openReaders).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is held in no more memory than its own", async () => {
    const { inner, id } = await stored(randomBytes(10 * KIB));
    const blocks = new CachedBlocks(inner, { maxBytes: MIB, blockBytes: 4 * KIB });
    for (const block of await blocks.blocks(id, 0, 3, 10 * KIB)) {
      expect(block.buffer.byteLength).toBe(block.length);
    }
  });

  test("is driven out by what is read later", async () => {
    const { inner, id } = await stored(randomBytes(40 * KIB));
    const store = cached(inner, { maxBytes: 20 * KIB, blockBytes: 4 * KIB });
    for (let start = 0; start < 40 * KIB; start += 4 * KIB)
      await readRange(store, id, start, start + 9);
    const before = inner.counts.reads.length;
    await readRange(store, id, 0, 9);
    expect(inner.counts.reads.length).toBe(before + 1);
  });

  test("is not kept if it is more than a quarter of the cache", async () => {
    const { inner, id } = await stored(randomBytes(40 * KIB));
    const store = cached(inner, { maxBytes: 100 * KIB, blockBytes: 4 * KIB });
    await readRange(store, id, 0, 4 * KIB);
    for (let round = 0; round < 2; round++) {
      inner.counts.reads.length = 0;
      await readRange(store, id, 0, 30 * KIB);
      expect(inner.counts.reads).toEqual([[0, 30 * KIB]]);
    }
    await readRange(store, id, 0, 4 * KIB);
    expect(inner.counts.reads.length).toBe(1);
    await store.load(id);
    expect(inner.counts.loads).toBe(1);
  });
});

describe("reads at the same time", () => {
  test("of one block are one read, of one reader", async () => {
    const { inner, id } = await stored(randomBytes(10 * KIB));
    const store = cached(inner, { maxBytes: MIB, blockBytes: 4 * KIB });
    await Promise.all([
      ...Array.from({ length: 20 }, (_, start) => readRange(store, id, start, 100)),
      store.load(id),
    ]);
    expect(inner.counts.openedReaders).toBe(1);
    const blocks = inner.counts.reads.flatMap(([start, end]) =>
      Array.from({ length: Math.ceil((end - start) / (4 * KIB)) }, (_, n) => start + n * 4 * KIB),
    );
    expect(blocks.toSorted((a, b) => a - b)).toEqual([0, 4 * KIB, 8 * KIB]);
    expect(inner.counts.openReaders).toBe(0);
  });

  test("go on when the one that began them closes its reader", async () => {
    const bytes = randomBytes(10 * KIB);
    const { inner, id } = await stored(bytes);
    const held = heldStore(inner);
    const store = cached(held, { maxBytes: MIB });
    const [first, second] = [await store.openReader(id), await store.openReader(id)];
    const reads = [first.read(0, 10), second.read(5, 10)];
    await first.close();
    held.letGo();
    expect((await Promise.all(reads)).map((read) => Buffer.from(read))).toEqual([
      Buffer.from(bytes.subarray(0, 10)),
      Buffer.from(bytes.subarray(5, 10)),
    ]);
    await second.close();
    expect(inner.counts.openReaders).toBe(0);
  });

  test("fail together, and are tried again by the next", async () => {
    const { inner, id } = await stored(randomBytes(10 * KIB));
    let isDown = true;
    const openReader = async (blobId: string): Promise<BlobReader> => {
      if (isDown) throw Object.assign(new Error("no route"), { code: "unavailable" });
      return inner.openReader(blobId);
    };
    const store = cached(Object.assign(countingStore(inner), { openReader }), { maxBytes: MIB });
    const reads = await Promise.allSettled([store.load(id), readRange(store, id, 0, 1)]);
    expect(reads.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isDown = false;
    expect((await readRange(store, id, 0, 7)).length).toBe(7);
    expect(inner.counts.openReaders).toBe(0);
  });
});

describe("a blob that is deleted through the cache", () => {
  test("is gone for every way to read it", async () => {
    const { inner, id } = await stored(randomBytes(10 * KIB));
    const store = cached(inner, { maxBytes: MIB });
    const open = await store.openReader(id);
    await open.read(0, 10);
    const fromCache = await store.openReader(id);
    expect(await store.delete(id)).toBe(true);
    const gone = { code: "not_found" };
    await expect(open.read(0, 10)).rejects.toMatchObject(gone);
    await expect(fromCache.read(0, 10)).rejects.toMatchObject(gone);
    await expect(store.openReader(id)).rejects.toMatchObject(gone);
    await expect(store.load(id)).rejects.toMatchObject(gone);
    await expect(store.stat(id)).rejects.toMatchObject(gone);
    expect(await store.exists(id)).toBe(false);
    await open.close();
    await fromCache.close();
    expect(inner.counts.openReaders).toBe(0);
  });

  test("is not kept by a read that was under way", async () => {
    const { inner, id } = await stored(randomBytes(10 * KIB));
    const held = heldStore(inner);
    const store = cached(held, { maxBytes: MIB });
    const reader = await store.openReader(id);
    const reading = reader.read(0, 10);
    await held.begun;
    await store.delete(id);
    held.letGo();
    expect((await reading).length).toBe(10);
    await expect(reader.read(0, 10)).rejects.toMatchObject({ code: "not_found" });
    await expect(store.openReader(id)).rejects.toMatchObject({ code: "not_found" });
    await reader.close();
  });

  test("is not remembered by a reader that was being opened", async () => {
    const { inner, id } = await stored(randomBytes(10 * KIB));
    const store = cached(inner, { maxBytes: MIB });
    const opening = store.openReader(id);
    await Promise.all([opening.then((reader) => reader.close()), store.delete(id)]);
    await expect(store.openReader(id)).rejects.toMatchObject({ code: "not_found" });
  });
});

test("a blob that ends earlier than it says is corrupt, and is not kept", async () => {
  const { inner, id } = await stored(randomBytes(10 * KIB));
  const openReader = async (blobId: string): Promise<BlobReader> => {
    const reader = await inner.openReader(blobId);
    const read = async (start: number, end: number): Promise<Uint8Array> =>
      reader.read(start, end - 1);
    return { stat: reader.stat, read, close: () => reader.close() };
  };
  const store = cached(Object.assign(countingStore(inner), { openReader }), { maxBytes: MIB });
  await expect(store.load(id)).rejects.toMatchObject({ code: "corrupt", blobId: id });
  await expect(readRange(store, id, 0, 5)).rejects.toMatchObject({ code: "corrupt" });
});

test("a cache without room lets everything through", async () => {
  const { inner, id } = await stored(randomBytes(10 * KIB));
  const store = cached(inner, { maxBytes: 0 });
  expect((await readRange(store, id, 0, 5)).length).toBe(5);
  expect(contentBytes(await store.load(id)).length).toBe(10 * KIB);
  expect(await entriesOf(store)).toHaveLength(1);
  expect(inner.counts.openReaders).toBe(0);
});

test("options out of bounds are refused", () => {
  for (const options of [
    { maxBytes: -1 },
    { maxBytes: Number.NaN },
    { maxBytes: 9, blockBytes: 0 },
  ]) {
    expect(() => cached(new MemoryBlobStore(), options)).toThrow(RangeError);
  }
});
