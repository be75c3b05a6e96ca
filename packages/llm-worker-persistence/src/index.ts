export type { BlobStore, CompleteBlobStore } from "./blob-store.js";
export { assertBlobId, createBlobId, isBlobId } from "./blob-id.js";
export { BlobStoreError, PersistenceError } from "./blob-store-error.js";
export type { BlobStoreErrorOptions, BlobStoreFailure } from "./blob-store-error.js";
export { MemoryBlobStore } from "./memory-blob-store.js";
export { FsBlobStore } from "./fs-blob-store.js";
export type { FsBlobStoreOptions } from "./fs-blob-store.js";
export type { Durability } from "./fs-directory.js";
export type { FileSystem } from "./file-system.js";
export type { OpenFile } from "./open-file.js";
export { DirectoryFileBackend } from "./directory-file-backend.js";
export type { DirectoryFileBackendOptions } from "./directory-file-backend.js";

// sessions
export { Session } from "./session/session.js";
export type {
  SessionForkOptions,
  SessionOptions,
  SessionStartOptions,
  SessionWorker,
} from "./session/session.js";
export { SessionError } from "./session/session-error.js";
export type { SessionErrorCode, SessionErrorOptions } from "./session/session-error.js";
export { assertSessionId, createSessionId, isSessionId } from "./session/session-id.js";
export type {
  LogPosition,
  SessionListing,
  SessionLog,
  SessionStore,
} from "./session/session-store.js";
export { MemorySessionStore } from "./session/memory-session-store.js";
export { FsSessionStore } from "./session/fs-session-store.js";
export type { FsSessionStoreOptions } from "./session/fs-session-store.js";
export type { SessionFileSystem } from "./session/fs-claim.js";
export { readSessionEntries } from "./session/replay.js";
export { SESSION_LOG_VERSION } from "./session/session-entry.js";
export type {
  ConfigChange,
  HistoryEdit,
  PositionedResult,
  RecordedResult,
  SessionChange,
  SessionEntry,
} from "./session/session-entry.js";

// clean-up
export { cleanUp, DEFAULT_MAX_AGE_MS, DEFAULT_MIN_AGE_MS } from "./clean-up.js";
export type { CleanUpOptions, CleanUpProgress, CleanUpReport, CleanUpVictim } from "./clean-up.js";
export { blobIdsIn, fileBlobIds, sessionBlobIds } from "./blob-references.js";

// wrappers
export { cached } from "./wrapper/cached.js";
export type { CachedOptions } from "./wrapper/cached.js";
export { compressed } from "./wrapper/compressed.js";
export type { CompressedOptions } from "./wrapper/compressed.js";
export { deduplicated } from "./wrapper/deduplicated.js";
export type { DeduplicatedBlobStore, DeduplicatedOptions } from "./wrapper/deduplicated.js";
export type {
  RemoveUnreferencedOptions,
  RemoveUnreferencedReport,
} from "./wrapper/remove-unreferenced.js";
export { sharedPayloadIds } from "./wrapper/shared-blobs.js";
