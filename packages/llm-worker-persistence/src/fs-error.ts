import type { BlobId } from "llm-worker/blob";
import { blobNotFound, BlobStoreError } from "./blob-store-error.js";

/**
 * The `code` of an error, e.g. `ENOENT` of the file system. Errors of Node itself are no instances of
 * the `Error` of a realm such as that of a Jest test.
 */
export function errnoOf(thrown: unknown): string | undefined {
  const isCoded = typeof thrown === "object" && thrown !== null && "code" in thrown;
  return isCoded && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** What the file system threw while something was written, as a `BlobStoreError`. */
export function toWriteError(thrown: unknown, what: "blob" | "file" = "blob"): BlobStoreError {
  if (thrown instanceof BlobStoreError) return thrown;
  switch (errnoOf(thrown)) {
    case "ENOSPC":
    case "EDQUOT":
      return new BlobStoreError(
        "no_space",
        `the ${what} was not stored, no space is left: free some, or clean up old ${what}s, and try again`,
        { cause: thrown },
      );
    default:
      return forbiddenOrUnavailable(thrown, `the ${what} was not stored`, undefined);
  }
}

/** What the file system threw while blob `blobId` was looked for or read, as a `BlobStoreError`. */
export function toReadError(thrown: unknown, blobId: BlobId | undefined): BlobStoreError {
  if (thrown instanceof BlobStoreError) return thrown;
  if (errnoOf(thrown) === "ENOENT" && blobId !== undefined) return blobNotFound(blobId, thrown);
  return forbiddenOrUnavailable(thrown, "the store's files could not be used", blobId);
}

function forbiddenOrUnavailable(
  thrown: unknown,
  what: string,
  blobId: BlobId | undefined,
): BlobStoreError {
  const errno = errnoOf(thrown);
  switch (errno) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ERR_ACCESS_DENIED":
      return new BlobStoreError(
        "forbidden",
        `${what}, access is denied (${errno}): give this process the right to the store's directory`,
        { blobId, cause: thrown },
      );
    case "ELOOP":
    case "EMLINK":
      return new BlobStoreError(
        "forbidden",
        `${what}, a symbolic link is in the place of a file and is not followed: remove the link`,
        { blobId, cause: thrown },
      );
    default:
      return new BlobStoreError(
        "unavailable",
        `${what} (${errno ?? "unexpected error"}): see the cause, and try again`,
        { blobId, cause: thrown },
      );
  }
}
