export { S3BlobStore } from "./s3-blob-store.js";
export type { RemoveAbandonedOptions } from "./s3-blob-store.js";
export { S3FileBackend } from "./s3-file-backend.js";
export { S3SessionStore } from "./s3-session-store.js";
export type { S3SessionStoreOptions } from "./s3-session-store.js";
export type { SessionCompaction } from "./session-compaction.js";
export type { AbandonedParts } from "./abandoned-parts.js";
export type { S3Encryption, S3Options } from "./s3-options.js";
export type { S3ClientConfig, S3ClientLike, S3Credentials } from "./s3-sdk.js";
