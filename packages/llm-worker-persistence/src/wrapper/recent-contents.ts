import type { BlobEntry, BlobId } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import type { SharedContent } from "./known-contents.js";
import { sharedBlobs } from "./shared-blobs.js";

/** The contents that were stored after `oldestMs`, by the hashes that pointers give for them. */
export async function recentContents(
  store: Pick<CompleteBlobStore, "list" | "openReader">,
  oldestMs: number,
): Promise<ReadonlyMap<string, SharedContent>> {
  const storedAtMs = new Map<BlobId, number>();
  const hashes = new Map<BlobId, string>();
  // A pointer is not older than its content.
  for await (const blob of sharedBlobs(store, storedAfter(oldestMs, store.list()))) {
    if (blob.role === "content") storedAtMs.set(blob.entry.id, blob.entry.storedAtMs);
    if (blob.role === "pointer") hashes.set(blob.pointer.contentId, hashKey(blob.pointer.sha256));
  }
  const contents = new Map<string, SharedContent>();
  for (const [id, hash] of hashes) {
    const time = storedAtMs.get(id);
    if (time !== undefined) contents.set(hash, { id, storedAtMs: time });
  }
  return contents;
}

/** A hash as the key of a map. */
export function hashKey(sha256: Uint8Array): string {
  return Buffer.from(sha256).toString("base64");
}

async function* storedAfter(
  oldestMs: number,
  entries: AsyncIterable<BlobEntry>,
): AsyncGenerator<BlobEntry, void, undefined> {
  for await (const entry of entries) if (entry.storedAtMs > oldestMs) yield entry;
}
