import type { BlobStoreLike } from "llm-worker/blob";
import { describe, expect, test } from "vitest";
import { tempDirectory } from "../../test/temp-directory.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { FsBlobStore } from "../fs-blob-store.js";
import { MemoryBlobStore } from "../memory-blob-store.js";
import { type BlobStoreConformanceOptions, blobStoreConformance } from "../testing/index.js";
import { cached } from "./cached.js";
import { compressed } from "./compressed.js";
import { deduplicated } from "./deduplicated.js";

const MIB = 1024 * 1024;

type Wrap = (store: CompleteBlobStore) => CompleteBlobStore;

const WRAPPERS: Record<string, Wrap> = {
  compressed: (store) => compressed(store),
  deduplicated: (store) => deduplicated(store),
  cached: (store) => cached(store, { maxBytes: 64 * MIB }),
  "cached(compressed(deduplicated))": (store) =>
    cached(compressed(deduplicated(store)), { maxBytes: MIB }),
};

/** What makes no difference to the store below. */
const EXTREMES: Record<string, Wrap> = {
  "deduplicated, the smallest too": (store) => deduplicated(store, { minBytes: 0 }),
  "cached, with hardly any room": (store) => cached(store, { maxBytes: 4096, blockBytes: 1024 }),
  "compressed and deduplicated twice, the smallest too": (store) => {
    const inner = deduplicated(compressed(store, { minBytes: 0, level: 1 }), { minBytes: 0 });
    return deduplicated(compressed(inner, { minBytes: 0, level: 1 }), { minBytes: 0 });
  },
};

function runSuite(options: BlobStoreConformanceOptions): void {
  test.each(blobStoreConformance(options))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
}

describe.each(Object.entries({ ...WRAPPERS, ...EXTREMES }))(
  "the conformance suite, %s over MemoryBlobStore",
  (_name, wrap) => {
    runSuite({ createStore: () => wrap(new MemoryBlobStore()) });
  },
);

describe.each(Object.entries(WRAPPERS))(
  "the conformance suite, %s over FsBlobStore",
  (_name, wrap) => {
    runSuite({
      createStore: async () => wrap(new FsBlobStore(await tempDirectory(), { durability: "none" })),
    });
  },
);

describe("over a store of three methods, a wrapper has these three", () => {
  const bare = (): BlobStoreLike => {
    const memory = new MemoryBlobStore();
    return {
      store: (content) => memory.store(content),
      load: (id) => memory.load(id),
      exists: (id) => memory.exists(id),
    };
  };
  const wrappers: Record<string, (store: BlobStoreLike) => BlobStoreLike> = {
    compressed: (store) => compressed(store, { minBytes: 0 }),
    deduplicated: (store) => deduplicated(store, { minBytes: 0 }),
    cached: (store) => cached(store, { maxBytes: MIB }),
  };
  describe.each(Object.entries(wrappers))("%s", (_name, wrap) => {
    runSuite({ createStore: () => wrap(bare()), capabilities: [] });
    test("and no more", () => {
      expect(Object.keys(wrap(bare()))).toEqual(["store", "load", "exists"]);
    });
  });

  test("and what the store has beside them", () => {
    const memory = new MemoryBlobStore();
    const store = { ...bare(), delete: async (id: string) => memory.delete(id) };
    expect(Object.keys(compressed(store))).toEqual(["store", "load", "exists", "delete"]);
  });
});
