import type { BlobId } from "llm-worker/blob";
import { SIDECAR_EXTENSION } from "../blob-layout.js";
import type { BlobKeys } from "./blob-keys.js";
import type { S3ObjectEntry, S3Objects } from "./s3-objects.js";

/** What a listing shows of one blob. */
export interface ListedBlob {
  readonly id: BlobId;
  /** Absent if its writer died before, or has not come to it yet. */
  readonly payload: S3ObjectEntry | undefined;
  readonly sidecar: S3ObjectEntry | undefined;
}

/** All blobs, in order of their ids. @throws S3Failure */
export async function* listedBlobs(
  objects: S3Objects,
  keys: BlobKeys,
): AsyncGenerator<ListedBlob, void, undefined> {
  let blob: ListedBlob | undefined;
  for await (const entry of objects.list(keys.prefix)) {
    const parsed = keys.parse(entry.key);
    if (!parsed) continue;
    const { id, extension } = parsed;
    // In order of their keys, the parts of one blob follow each other.
    if (blob && blob.id !== id) yield blob;
    const { payload, sidecar } =
      blob?.id === id ? blob : { payload: undefined, sidecar: undefined };
    blob =
      extension === SIDECAR_EXTENSION
        ? { id, payload, sidecar: entry }
        : { id, payload: entry, sidecar };
  }
  if (blob) yield blob;
}
