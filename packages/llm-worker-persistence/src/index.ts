export type { BlobStore, CompleteBlobStore } from "./blob-store.js";
export { assertBlobId, createBlobId, isBlobId } from "./blob-id.js";
export { BlobStoreError, PersistenceError } from "./blob-store-error.js";
export type { BlobStoreErrorOptions, BlobStoreFailure } from "./blob-store-error.js";
export { MemoryBlobStore } from "./memory-blob-store.js";
export { FsBlobStore } from "./fs-blob-store.js";
export type { FsBlobStoreOptions } from "./fs-blob-store.js";
export type { Durability } from "./fs-directory.js";
export type { FileSystem } from "./file-system.js";
