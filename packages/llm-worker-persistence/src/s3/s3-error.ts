import type { BlobId } from "llm-worker/blob";
import { BlobStoreError, type BlobStoreErrorOptions } from "../blob-store-error.js";
import { isClockSkew, isExpired, S3Failure, S3IntegrityFailure } from "./s3-failure.js";

/** What was being done when a request failed, for the message. */
export interface S3Task {
  /** A clause: `the blob was not stored`. */
  readonly what: string;
  readonly bucket: string;
  readonly blobId?: BlobId | undefined;
}

/**
 * What went wrong with S3, as a `BlobStoreError`. What is neither, such as the reason of an aborted
 * signal, is given back as it is.
 */
export function toBlobStoreError(thrown: unknown, task: S3Task): unknown {
  const options = { blobId: task.blobId, cause: thrown };
  if (thrown instanceof S3IntegrityFailure) {
    return new BlobStoreError(
      "corrupt",
      `${task.what}, what came is not what was stored (${thrown.message}): read it again, and if it stays so, restore it from a backup or delete it`,
      options,
    );
  }
  return thrown instanceof S3Failure ? fromFailure(thrown, task, options) : thrown;
}

function fromFailure(
  failure: S3Failure,
  { what, bucket }: S3Task,
  options: BlobStoreErrorOptions,
): BlobStoreError {
  const { reason, status, region } = failure;
  if (region !== undefined && (status === 301 || status === 307 || status === 400)) {
    return new BlobStoreError(
      "unavailable",
      `${what}, bucket ${bucket} is in region ${region}: make the client with region: "${region}"`,
      options,
    );
  }
  if (status === 301) {
    return new BlobStoreError(
      "unavailable",
      `${what}, bucket ${bucket} is in another region or behind another endpoint: check both`,
      options,
    );
  }
  if (isClockSkew(failure))
    return new BlobStoreError("forbidden", clockMessage(what, failure), options);
  if (isExpired(failure)) {
    return new BlobStoreError(
      "forbidden",
      `${what}, the credentials have expired and no new ones came: renew them`,
      options,
    );
  }
  if (reason === "NoSuchBucket") {
    return new BlobStoreError(
      "unavailable",
      `${what}, there is no bucket ${bucket} at this endpoint: create it, or check bucket, endpoint and region`,
      options,
    );
  }
  if (NO_SPACE.has(reason) || status === 507) {
    return new BlobStoreError(
      "no_space",
      `${what}, no space is left (${reason}): free some, or raise the quota, and try again`,
      options,
    );
  }
  if (NOT_ACCEPTED.has(reason)) {
    return new BlobStoreError(
      "forbidden",
      `${what}, the credentials are missing or not accepted (${reason}): check access key, secret and endpoint`,
      options,
    );
  }
  if (status === 401 || status === 403) {
    return new BlobStoreError(
      "forbidden",
      `${what}, access to bucket ${bucket} is denied (${reason}): give these credentials the rights in the README; ` +
        "without s3:ListBucket S3 also says so of what is not there",
      options,
    );
  }
  return new BlobStoreError(
    "unavailable",
    `${what} (${failure.message}): see the cause, and try again`,
    options,
  );
}

const NO_SPACE: ReadonlySet<string> = new Set([
  "QuotaExceeded",
  "InsufficientStorage",
  "XMinioStorageFull",
]);
const NOT_ACCEPTED: ReadonlySet<string> = new Set([
  "CredentialsProviderError",
  "InvalidAccessKeyId",
  "InvalidToken",
  "SignatureDoesNotMatch",
]);

function clockMessage(what: string, { serverAheadMs }: S3Failure): string {
  const minutes = Math.round((serverAheadMs ?? 0) / 60_000);
  const by =
    minutes === 0
      ? "differs from the server's"
      : `is ${Math.abs(minutes)} min ${minutes > 0 ? "behind" : "ahead of"} the server's`;
  return `${what}, the clock of this machine ${by}, so that requests are refused: set it`;
}
