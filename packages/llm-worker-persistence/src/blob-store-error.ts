import type { BlobId, BlobStoreErrorCode } from "llm-worker/blob";

/** Base of every error this package throws: `code` for machines, `cause` for the origin. */
export abstract class PersistenceError extends Error {
  abstract readonly code: string;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** `closed`: a reader or writer was used after its end. The other codes are those of the port. */
export type BlobStoreFailure = BlobStoreErrorCode | "closed";

/** What a {@link BlobStoreError} knows beside its message. */
export interface BlobStoreErrorOptions extends ErrorOptions {
  readonly blobId?: BlobId | undefined;
}

/**
 * A store could not do what it was asked for. The message says what to do next; it holds neither
 * the payload nor an id that was refused.
 */
export class BlobStoreError extends PersistenceError {
  readonly code: BlobStoreFailure;
  /** The blob in question, where there is one and its id is well-formed. */
  readonly blobId: BlobId | undefined;

  constructor(code: BlobStoreFailure, message: string, options: BlobStoreErrorOptions = {}) {
    const { blobId, ...errorOptions } = options;
    super(message, errorOptions);
    this.code = code;
    this.blobId = blobId;
  }
}

/** The error for a blob that was never stored here or has been deleted. */
export function blobNotFound(blobId: BlobId, cause?: unknown): BlobStoreError {
  return new BlobStoreError(
    "not_found",
    `blob ${blobId} is not in this store: it was deleted, or stored elsewhere; check the store's location`,
    cause === undefined ? { blobId } : { blobId, cause },
  );
}

/** The error for a payload that is not what was stored. */
export function blobCorrupt(blobId: BlobId, found: string): BlobStoreError {
  return new BlobStoreError(
    "corrupt",
    `blob ${blobId} is damaged (${found}): restore it from a backup, or delete it`,
    { blobId },
  );
}

/** The error for a reader or writer that has already ended. */
export function alreadyClosed(what: string): BlobStoreError {
  return new BlobStoreError("closed", `this ${what} has ended: open a new one`);
}
