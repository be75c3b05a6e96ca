import type { BlobId, BlobReader } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";

interface SharedReader {
  readonly opening: Promise<BlobReader>;
  userCount: number;
}

/** The use of a reader that others may use too. */
export interface ReaderLease {
  readonly opening: Promise<BlobReader>;
  /** Closes the reader if nobody else uses it. Call it once. */
  release(): Promise<void>;
}

/** Opens one reader a blob, for all who want one at the same time; the last closes it. */
export class SharedReaders {
  readonly #store: Pick<CompleteBlobStore, "openReader">;
  readonly #open = new Map<BlobId, SharedReader>();

  constructor(store: Pick<CompleteBlobStore, "openReader">) {
    this.#store = store;
  }

  acquire(id: BlobId): ReaderLease {
    const shared = this.#open.get(id) ?? this.#openShared(id);
    shared.userCount++;
    return { opening: shared.opening, release: () => this.#release(id, shared) };
  }

  /** Whether `acquire` would still give the reader of this lease. */
  isCurrent(id: BlobId, lease: ReaderLease): boolean {
    return this.#open.get(id)?.opening === lease.opening;
  }

  /** After the blob was deleted: who wants a reader gets another one. */
  forget(id: BlobId): void {
    this.#open.delete(id);
  }

  #openShared(id: BlobId): SharedReader {
    const shared = { opening: this.#store.openReader(id), userCount: 0 };
    this.#open.set(id, shared);
    shared.opening.catch(() => this.#remove(id, shared));
    return shared;
  }

  async #release(id: BlobId, shared: SharedReader): Promise<void> {
    if (--shared.userCount > 0) return;
    this.#remove(id, shared);
    // What could not be opened need not be closed; who wanted it was told.
    const reader = await shared.opening.catch(() => undefined);
    await reader?.close();
  }

  #remove(id: BlobId, shared: SharedReader): void {
    if (this.#open.get(id) === shared) this.#open.delete(id);
  }
}
