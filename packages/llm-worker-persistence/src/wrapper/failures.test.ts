import type { BlobWriter, BlobWriterOptions } from "llm-worker/blob";
import { describe, expect, test } from "vitest";
import { entriesOf, randomBytes, writeStream } from "../../test/support/blob-pieces.js";
import { countingStore } from "../../test/support/counting-store.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { BlobStoreError } from "../blob-store-error.js";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { binary } from "../testing/samples.js";
import { compressed } from "./compressed.js";
import { deduplicated } from "./deduplicated.js";

/** A store that is full after so many bytes, and the number of its writers that have not ended. */
function fullStore(inner: CompleteBlobStore, maxBytes: number): [CompleteBlobStore, () => number] {
  let openWriterCount = 0;
  let left = maxBytes;
  const take = (byteCount: number): void => {
    left -= byteCount;
    if (left < 0) throw new BlobStoreError("no_space", "the disk is full: free space");
  };
  const openWriter = async (options?: BlobWriterOptions): Promise<BlobWriter> => {
    const writer = await inner.openWriter(options);
    openWriterCount++;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) openWriterCount--;
      isOpen = false;
    };
    return {
      async write(chunk) {
        take(chunk.length);
        await writer.write(chunk);
      },
      async commit() {
        take(1);
        const committed = await writer.commit();
        end();
        return committed;
      },
      async abort() {
        end();
        await writer.abort();
      },
    };
  };
  const store: CompleteBlobStore["store"] = async (content) => {
    take(1);
    return inner.store(content);
  };
  return [Object.assign(countingStore(inner), { openWriter, store }), () => openWriterCount];
}

const WRAPPERS: Record<string, (store: CompleteBlobStore) => CompleteBlobStore> = {
  compressed: (store) => compressed(store, { frameBytes: 1024 }),
  deduplicated: (store) => deduplicated(store),
  both: (store) => deduplicated(compressed(store, { frameBytes: 1024 })),
};

describe.each(Object.entries(WRAPPERS))("%s over a store that becomes full", (_name, wrap) => {
  const bytes = randomBytes(10_000);
  const writes: ((store: CompleteBlobStore) => Promise<string>)[] = [
    (store) => store.store(binary(bytes)),
    (store) => writeStream(store, bytes, 3000),
  ];

  test("rejects as that store does, shows nothing of the blob, and leaves no writer open", async () => {
    for (const room of [0, 1, 5000, 9999, 10_000, 10_001]) {
      for (const write of writes) {
        const [full, openWriterCount] = fullStore(new MemoryBlobStore(), room);
        const store = wrap(full);
        await expect(write(store)).rejects.toMatchObject({ code: "no_space" });
        expect(openWriterCount()).toBe(0);
        expect(await entriesOf(store)).toEqual([]);
      }
    }
  });
});

test("a payload whose pointer could not be written is found by the next who stores it", async () => {
  const inner = new MemoryBlobStore();
  let isFull = true;
  const store = deduplicated(
    Object.assign(countingStore(inner), {
      store: async (content: Parameters<CompleteBlobStore["store"]>[0]) => {
        if (isFull) throw new BlobStoreError("no_space", "the disk is full: free space");
        return inner.store(content);
      },
    }),
  );
  await expect(store.store(binary(randomBytes(10_000)))).rejects.toMatchObject({
    code: "no_space",
  });
  expect(await entriesOf(store)).toEqual([]);
  isFull = false;
  const id = await store.store(binary(randomBytes(10_000)));
  expect((await entriesOf(store)).map((entry) => entry.id)).toEqual([id]);
  expect(await entriesOf(inner)).toHaveLength(2);
});
