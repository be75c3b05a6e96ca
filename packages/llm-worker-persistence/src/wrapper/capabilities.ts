import { openBlobReader } from "llm-worker/blob";
import type { BlobReader, BlobStoreLike, BlobWriter } from "llm-worker/blob";
import type { BlobStore, CompleteBlobStore } from "../blob-store.js";
import { BlobStoreError } from "../blob-store-error.js";

const CAPABILITIES = ["stat", "openReader", "openWriter", "delete", "list"] as const;

function isComplete(store: BlobStoreLike): store is CompleteBlobStore {
  return CAPABILITIES.every((capability) => store[capability] !== undefined);
}

/**
 * The store with all capabilities, so that a wrapper needs no second way: what is missing is done
 * with the three methods, at the cost of whole blobs in memory, or rejects.
 */
export function completeStore(store: BlobStoreLike): CompleteBlobStore {
  if (isComplete(store)) return store;
  const openReader = async (id: string): Promise<BlobReader> => openBlobReader(store, id);
  return {
    store: (content) => store.store(content),
    load: (id) => store.load(id),
    exists: (id) => store.exists(id),
    openReader,
    async stat(id) {
      if (store.stat !== undefined) return store.stat(id);
      const reader = await openReader(id);
      await reader.close();
      return reader.stat;
    },
    async openWriter(options = {}) {
      return store.openWriter?.(options) ?? collectingWriter(store, options.mediaType);
    },
    async delete(id) {
      if (store.delete === undefined) throw cannot("delete blobs");
      return store.delete(id);
    },
    async *list() {
      if (store.list === undefined) throw cannot("list its blobs");
      yield* store.list();
    },
  };
}

/** The wrapper with no more capabilities than the store that it wraps. */
export function withCapabilitiesOf(store: BlobStoreLike, wrapper: CompleteBlobStore): BlobStore {
  if (isComplete(store)) return wrapper;
  return {
    store: (content) => wrapper.store(content),
    load: (id) => wrapper.load(id),
    exists: (id) => wrapper.exists(id),
    ...(store.stat && { stat: (id) => wrapper.stat(id) }),
    ...(store.openReader && { openReader: (id) => wrapper.openReader(id) }),
    ...(store.openWriter && { openWriter: (options) => wrapper.openWriter(options) }),
    ...(store.delete && { delete: (id) => wrapper.delete(id) }),
    ...(store.list && { list: () => wrapper.list() }),
  };
}

function collectingWriter(
  store: BlobStoreLike,
  mediaType: string = "application/octet-stream",
): BlobWriter {
  const pieces: Uint8Array[] = [];
  return {
    async write(chunk) {
      pieces.push(new Uint8Array(chunk));
    },
    async commit() {
      const bytes = Buffer.concat(pieces);
      const id = await store.store({ type: "binary", bytes, mediaType });
      return { id, stat: { kind: "binary", byteCount: bytes.length, mediaType } };
    },
    async abort() {
      pieces.length = 0;
    },
  };
}

function cannot(what: string): BlobStoreError {
  return new BlobStoreError(
    "unavailable",
    `the wrapped store cannot ${what}: wrap one that has this capability`,
  );
}
