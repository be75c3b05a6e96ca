import type { BlobId } from "llm-worker/blob";
import { v7 } from "uuid";
import { BlobStoreError } from "./blob-store-error.js";

const CANONICAL_UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A new id: UUID v7 in lower case. Ids made by one process sort in the order they were made. */
export function createBlobId(): BlobId {
  return v7();
}

/** Whether `id` is exactly the lower-case canonical text of a UUID v7. */
export function isBlobId(id: unknown): id is BlobId {
  return typeof id === "string" && CANONICAL_UUID_V7.test(id);
}

/**
 * Refuses everything but the lower-case canonical text of a UUID v7, so that what passes is safe
 * as part of a path or key.
 * @throws BlobStoreError `invalid_id`
 */
export function assertBlobId(id: unknown): asserts id is BlobId {
  if (isBlobId(id)) return;
  const what = typeof id === "string" ? `${id.length} characters` : typeof id;
  throw new BlobStoreError(
    "invalid_id",
    `this is not a blob id (${what}): use an id that store() returned, a lower-case UUID v7, unchanged`,
  );
}
