import type { BlobEntry, BlobId } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import { CLOCK_SLACK_MS, REUSE_WINDOW_MS } from "./known-contents.js";
import { sharedBlobs, unreadableBlob } from "./shared-blobs.js";

/** Contents younger than this are never removed: a blob that points to them may be on its way. */
const MIN_AGE_MS = REUSE_WINDOW_MS + 2 * CLOCK_SLACK_MS;

/** How payloads are removed that no blob has any more. */
export interface RemoveUnreferencedOptions {
  /** Only say what would be removed. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was, or would be, removed. */
export interface RemoveUnreferencedReport {
  readonly removedCount: number;
  readonly removedBytes: number;
  readonly keptCount: number;
}

/**
 * Removes the contents that no pointer names and that are too old for a new one. Safe beside
 * writers in any process: they make no pointer to a content of this age, so all that there will
 * ever be were visible before the listing began.
 */
export async function removeUnreferenced(
  store: CompleteBlobStore,
  { dryRun, signal }: RemoveUnreferencedOptions,
  nowMs: number,
): Promise<RemoveUnreferencedReport> {
  const contents: BlobEntry[] = [];
  const named = new Set<BlobId>();
  for await (const blob of sharedBlobs(store)) {
    signal?.throwIfAborted();
    if (blob.role === "broken") throw unreadableBlob(blob.entry.id, blob.cause);
    if (blob.role === "pointer") named.add(blob.pointer.contentId);
    if (blob.role === "content") contents.push(blob.entry);
  }
  const victims = contents.filter(
    ({ id, storedAtMs }) => !named.has(id) && nowMs - storedAtMs >= MIN_AGE_MS,
  );
  if (dryRun !== true) {
    for (const { id } of victims) {
      signal?.throwIfAborted();
      await store.delete(id);
    }
  }
  return {
    removedCount: victims.length,
    removedBytes: victims.reduce((sum, { byteCount }) => sum + byteCount, 0),
    keptCount: contents.length - victims.length,
  };
}
