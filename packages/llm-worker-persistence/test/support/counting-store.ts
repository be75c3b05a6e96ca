import type { BlobReader } from "llm-worker/blob";
import type { CompleteBlobStore } from "../../src/blob-store.js";

/** What has been asked of a store. */
export interface StoreCounts {
  /** Ranges that were read, in order. */
  readonly reads: (readonly [start: number, end: number])[];
  readBytes: number;
  openedReaders: number;
  openReaders: number;
  loads: number;
  stores: number;
  writtenBytes: number;
}

export interface CountingStore extends CompleteBlobStore {
  readonly counts: StoreCounts;
}

/** The store, and what is asked of it. */
export function countingStore(store: CompleteBlobStore): CountingStore {
  const counts: StoreCounts = {
    reads: [],
    readBytes: 0,
    openedReaders: 0,
    openReaders: 0,
    loads: 0,
    stores: 0,
    writtenBytes: 0,
  };
  return {
    counts,
    store(content) {
      counts.stores++;
      return store.store(content);
    },
    load(id) {
      counts.loads++;
      return store.load(id);
    },
    exists: (id) => store.exists(id),
    stat: (id) => store.stat(id),
    async openReader(id) {
      const reader = await store.openReader(id);
      counts.openedReaders++;
      counts.openReaders++;
      return countedReader(reader, counts);
    },
    async openWriter(options) {
      const writer = await store.openWriter(options);
      return {
        async write(chunk) {
          await writer.write(chunk);
          counts.writtenBytes += chunk.length;
        },
        commit: () => writer.commit(),
        abort: () => writer.abort(),
      };
    },
    delete: (id) => store.delete(id),
    list: () => store.list(),
  };
}

function countedReader(reader: BlobReader, counts: StoreCounts): BlobReader {
  return {
    stat: reader.stat,
    index: reader.index,
    async read(start, end) {
      counts.reads.push([start, end]);
      const bytes = await reader.read(start, end);
      counts.readBytes += bytes.length;
      return bytes;
    },
    async close() {
      counts.openReaders--;
      await reader.close();
    },
  };
}
