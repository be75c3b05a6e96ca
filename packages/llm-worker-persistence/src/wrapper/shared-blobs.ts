import { blobStoreErrorCode } from "llm-worker/blob";
import type { BlobEntry, BlobId } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import { BlobStoreError } from "../blob-store-error.js";
import { mapBatches } from "./map-batches.js";
import { CONTENT_MEDIA_TYPE, type Pointer, POINTER_MEDIA_TYPE } from "./pointer.js";
import { readPointer } from "./pointer-reader.js";

type ReadableStore = Pick<CompleteBlobStore, "list" | "openReader">;

/** What a blob of the store below is to the wrapper. */
export type SharedBlob =
  | { readonly role: "pointer"; readonly entry: BlobEntry; readonly pointer: Pointer }
  | { readonly role: "content"; readonly entry: BlobEntry }
  | { readonly role: "plain"; readonly entry: BlobEntry }
  | { readonly role: "broken"; readonly entry: BlobEntry; readonly cause: unknown };

/** All blobs of the store below, in order. Opens each one. */
export async function* sharedBlobs(
  store: ReadableStore,
  entries: AsyncIterable<BlobEntry> = store.list(),
): AsyncGenerator<SharedBlob, void, undefined> {
  for await (const blob of mapBatches(entries, (entry) => lookAt(store, entry))) {
    if (blob) yield blob;
  }
}

/**
 * The payloads that the pointers of `deduplicated` name in the store below it: to be kept by whoever
 * cleans up that store itself. Opens every blob.
 *
 * @throws BlobStoreError `corrupt` if a blob cannot be read: an incomplete list must not be taken for complete
 */
export async function* sharedPayloadIds(
  store: ReadableStore,
): AsyncGenerator<BlobId, void, undefined> {
  for await (const blob of sharedBlobs(store)) {
    if (blob.role === "broken") throw unreadableBlob(blob.entry.id, blob.cause);
    if (blob.role === "pointer") yield blob.pointer.contentId;
  }
}

/**
 * All payloads below `deduplicated`, named or not: only its own `removeUnreferenced` can tell which
 * of them may go, because a pointer to one may be on its way. Opens every blob.
 *
 * @throws BlobStoreError `corrupt` if a blob cannot be read
 */
export async function* allSharedPayloadIds(
  store: ReadableStore,
): AsyncGenerator<BlobId, void, undefined> {
  for await (const blob of sharedBlobs(store)) {
    if (blob.role === "broken") throw unreadableBlob(blob.entry.id, blob.cause);
    if (blob.role === "content") yield blob.entry.id;
  }
}

/** The error for a blob that may name any payload. */
export function unreadableBlob(blobId: BlobId, cause: unknown): BlobStoreError {
  return new BlobStoreError(
    "corrupt",
    `blob ${blobId} is damaged and may name a payload, so nothing may be removed: restore or delete it first`,
    { blobId, cause },
  );
}

async function lookAt(store: ReadableStore, entry: BlobEntry): Promise<SharedBlob | undefined> {
  try {
    const reader = await store.openReader(entry.id);
    try {
      switch (reader.stat.mediaType) {
        case POINTER_MEDIA_TYPE:
          return { role: "pointer", entry, pointer: await readPointer(entry.id, reader) };
        case CONTENT_MEDIA_TYPE:
          return { role: "content", entry };
        default:
          return { role: "plain", entry };
      }
    } finally {
      await reader.close();
    }
  } catch (cause) {
    const code = blobStoreErrorCode(cause);
    // Deleted meanwhile.
    if (code === "not_found") return undefined;
    if (code === "corrupt") return { role: "broken", entry, cause };
    throw cause;
  }
}
