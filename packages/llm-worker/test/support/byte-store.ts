import { createBytesReader, openBlobReader } from "../../src/blob/blob-reader.js";
import type { BlobReader, BlobStat, BlobStoreLike } from "../../src/blob/blob-store.js";
import type { Content } from "../../src/blob/content.js";
import { BlobIndexBuilder } from "../../src/blob/index-builder.js";

/** What a store of {@link byteStore} has been asked for. */
export interface ReadCounts {
  opened: number;
  closed: number;
  bytes: number;
}

/** A store that holds given bytes and counts what is read of them. */
export interface ByteStore extends BlobStoreLike {
  readonly counts: ReadCounts;
  /** Makes every read fail with this code. */
  failWith?: string | undefined;
}

export const BLOB_ID = "0197f3a1-0000-7000-8000-000000000001";

/** Holds one blob under {@link BLOB_ID}, with the index that a shipped store would have. */
export function byteStore(
  payload: string | Uint8Array,
  kind?: "text" | "structured" | "binary",
  mediaType?: string,
): ByteStore {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const builder = new BlobIndexBuilder({ kind, mediaType });
  builder.write(bytes);
  const { stat, index } = builder.finish();
  const counts: ReadCounts = { opened: 0, closed: 0, bytes: 0 };
  const store: ByteStore = {
    counts,
    store: () => Promise.reject(new Error("read only")),
    load: (id) => Promise.reject(missing(id)),
    exists: (id) => Promise.resolve(id === BLOB_ID),
    openReader: (id) => {
      if (store.failWith !== undefined) return Promise.reject(coded(store.failWith));
      if (id !== BLOB_ID) return Promise.reject(missing(id));
      counts.opened++;
      return Promise.resolve(countingReader(createBytesReader(bytes, stat, index), counts));
    },
  };
  return store;
}

/** The same store as if it made no index. */
export function withoutIndex(store: ByteStore): BlobStoreLike {
  return {
    ...store,
    openReader: async (id) => ({ ...(await openBlobReader(store, id)), index: undefined }),
  };
}

/** A store with the three methods that every store has. */
export function loadingStore(content: Content): BlobStoreLike {
  return {
    store: () => Promise.reject(new Error("read only")),
    load: (id) => (id === BLOB_ID ? Promise.resolve(content) : Promise.reject(missing(id))),
    exists: (id) => Promise.resolve(id === BLOB_ID),
  };
}

function countingReader(reader: BlobReader, counts: ReadCounts): BlobReader {
  return {
    stat: reader.stat satisfies BlobStat,
    index: reader.index,
    async read(start, end, into) {
      const bytes = await reader.read(start, end);
      counts.bytes += bytes.length;
      if (into === undefined || into.length < bytes.length) return bytes;
      into.set(bytes);
      return into.subarray(0, bytes.length);
    },
    async close() {
      counts.closed++;
      await reader.close();
    },
  };
}

function missing(id: string): Error {
  return Object.assign(new Error(`no blob ${id.length} characters`), { code: "not_found" });
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
