import type { BlobEntry, BlobId } from "llm-worker/blob";
import type { CompleteBlobStore } from "./blob-store.js";
import { checkedLimit } from "./checked-limit.js";
import { forEachAtOnce } from "./concurrency-limit.js";

const HOUR_MS = 60 * 60 * 1000;
/** Blobs that nothing names are kept for so long, unless told otherwise. */
export const DEFAULT_MAX_AGE_MS: number = 7 * 24 * HOUR_MS;
/** Younger blobs are never deleted, unless told otherwise: their session may not have named them yet. */
export const DEFAULT_MIN_AGE_MS: number = HOUR_MS;

const MAX_CONCURRENT_DELETES = 16;

/** What is cleaned up, and by which rules. */
export interface CleanUpOptions {
  readonly store: Pick<CompleteBlobStore, "delete" | "list">;
  /**
   * All blobs that are in use, as `sessionBlobIds` and `fileBlobIds` find them. Asked for twice, so
   * that what is named while the clean-up works counts as well. If it fails, nothing is deleted.
   */
  readonly references: () => AsyncIterable<BlobId>;
  /** Blobs to keep although nothing names them. */
  readonly pins?: Iterable<BlobId> | undefined;
  /** Blobs that nothing names are deleted at this age. Default 7 days; `Infinity` for no such rule. */
  readonly maxAgeMs?: number | undefined;
  /**
   * If all blobs together have more bytes, the oldest of those that nothing names are deleted until
   * they have not. Default: no such rule.
   */
  readonly maxTotalBytes?: number | undefined;
  /** Default 1 hour. */
  readonly minAgeMs?: number | undefined;
  /** Only say what would be deleted. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: CleanUpProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch, by the clock that dates the blobs. */
  readonly now?: (() => number) | undefined;
}

/** How far a clean-up has come. `totalCount` is known where there is one. */
export interface CleanUpProgress {
  readonly phase: "listing" | "reading_references" | "deleting";
  readonly doneCount: number;
  readonly totalCount?: number | undefined;
}

/** A blob that was, or would be, deleted. */
export interface CleanUpVictim extends BlobEntry {
  readonly reason: "age" | "size";
}

/** What a clean-up has done, or, with `dryRun`, would do. */
export interface CleanUpReport {
  /** Oldest first. */
  readonly deleted: readonly CleanUpVictim[];
  readonly deletedBytes: number;
  /** How many were kept, by the first reason that holds. */
  readonly kept: {
    readonly referenced: number;
    readonly pinned: number;
    /** Younger than `minAgeMs`. */
    readonly recent: number;
    /** Nothing names them, but the rules leave them. */
    readonly withinLimits: number;
  };
  readonly keptBytes: number;
}

/**
 * Deletes blobs that nothing names, by age and size. May run beside writers, of this process or others:
 * what is being written, what has just been written and what a session names is never deleted.
 *
 * @throws what the store or `references` reject with: before anything is deleted, or, if a deletion
 * fails or the signal is aborted, when the deletions under way have ended, and without those that were to
 * follow; RangeError if an age or a size is no number
 */
export async function cleanUp(options: CleanUpOptions): Promise<CleanUpReport> {
  const { store, dryRun, signal, onProgress } = options;
  const rules = rulesOf(options);
  const nowMs = (options.now ?? Date.now)();
  const blobs = await listed(options);
  const pins = new Set(options.pins);
  const referenced = await allReferences(options);
  const kept = { referenced: 0, pinned: 0, recent: 0, withinLimits: 0 };
  const deletable: BlobEntry[] = [];
  for (const blob of blobs) {
    if (referenced.has(blob.id)) kept.referenced += 1;
    else if (pins.has(blob.id)) kept.pinned += 1;
    else if (nowMs - blob.storedAtMs < rules.minAgeMs) kept.recent += 1;
    else deletable.push(blob);
  }
  const byteCount = sumOf(blobs);
  const chosen = chooseVictims(deletable, byteCount, nowMs, rules);
  kept.withinLimits = deletable.length - chosen.length;

  // Somebody may have named one of them since.
  const named = chosen.length === 0 ? referenced : await allReferences(options);
  const deleted = chosen.filter(({ id }) => !named.has(id));
  kept.referenced += chosen.length - deleted.length;
  if (dryRun !== true) {
    let doneCount = 0;
    const deleteOne = async ({ id }: BlobEntry): Promise<void> => {
      signal?.throwIfAborted();
      await store.delete(id);
      onProgress?.({ phase: "deleting", doneCount: ++doneCount, totalCount: deleted.length });
    };
    await forEachAtOnce(deleted, MAX_CONCURRENT_DELETES, deleteOne);
  }
  const deletedBytes = sumOf(deleted);
  return { deleted, deletedBytes, kept, keptBytes: byteCount - deletedBytes };
}

type Rules = Readonly<Record<"minAgeMs" | "maxAgeMs" | "maxTotalBytes", number>>;

function rulesOf({
  minAgeMs = DEFAULT_MIN_AGE_MS,
  maxAgeMs = DEFAULT_MAX_AGE_MS,
  maxTotalBytes = Infinity,
}: CleanUpOptions): Rules {
  return {
    minAgeMs: checkedLimit("minAgeMs", minAgeMs),
    maxAgeMs: checkedLimit("maxAgeMs", maxAgeMs),
    maxTotalBytes: checkedLimit("maxTotalBytes", maxTotalBytes),
  };
}

async function listed({ store, onProgress, signal }: CleanUpOptions): Promise<BlobEntry[]> {
  const blobs: BlobEntry[] = [];
  for await (const blob of store.list()) {
    signal?.throwIfAborted();
    blobs.push(blob);
    onProgress?.({ phase: "listing", doneCount: blobs.length });
  }
  return blobs;
}

async function allReferences({
  references,
  onProgress,
  signal,
}: CleanUpOptions): Promise<ReadonlySet<BlobId>> {
  const ids = new Set<BlobId>();
  let doneCount = 0;
  for await (const id of references()) {
    signal?.throwIfAborted();
    ids.add(id);
    onProgress?.({ phase: "reading_references", doneCount: ++doneCount });
  }
  return ids;
}

function chooseVictims(
  deletable: readonly BlobEntry[],
  byteCount: number,
  nowMs: number,
  { maxAgeMs, maxTotalBytes }: Rules,
): readonly CleanUpVictim[] {
  const victims: CleanUpVictim[] = [];
  let left = byteCount;
  // The oldest go first, so a blob that goes for its size never is older than one that stays.
  for (const blob of deletable.toSorted(byAge)) {
    const isOld = nowMs - blob.storedAtMs > maxAgeMs;
    if (!isOld && left <= maxTotalBytes) break;
    victims.push({ ...blob, reason: isOld ? "age" : "size" });
    left -= blob.byteCount;
  }
  return victims;
}

function byAge(a: BlobEntry, b: BlobEntry): number {
  return a.storedAtMs - b.storedAtMs || (a.id < b.id ? -1 : 1);
}

function sumOf(blobs: readonly BlobEntry[]): number {
  return blobs.reduce((sum, { byteCount }) => sum + byteCount, 0);
}
