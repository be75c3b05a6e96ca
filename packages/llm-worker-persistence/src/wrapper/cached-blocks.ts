import type { BlobDescription, BlobId } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import { blobCorrupt } from "../blob-store-error.js";
import { BlockCache } from "./block-cache.js";
import { type ReaderLease, SharedReaders } from "./shared-readers.js";

/** How much is kept, and in blocks of what size. */
export interface CacheLimits {
  readonly maxBytes: number;
  readonly blockBytes: number;
}

type PendingBlocks = Map<number, Promise<Uint8Array>>;

/** The blocks of a store's blobs: from the cache, or read, each once however many want it. */
export class CachedBlocks {
  readonly #cache: BlockCache;
  readonly #readers: SharedReaders;
  readonly #pending = new Map<BlobId, PendingBlocks>();
  readonly #blockBytes: number;

  constructor(store: CompleteBlobStore, { maxBytes, blockBytes }: CacheLimits) {
    this.#cache = new BlockCache(maxBytes);
    this.#readers = new SharedReaders(store);
    this.#blockBytes = blockBytes;
  }

  acquireReader(id: BlobId): ReaderLease {
    return this.#readers.acquire(id);
  }

  knownDescription(id: BlobId): BlobDescription | undefined {
    return this.#cache.description(id);
  }

  /** Keeps what the reader of the lease says of the blob, unless that was deleted meanwhile. */
  learn(id: BlobId, lease: ReaderLease, description: BlobDescription): void {
    if (this.#readers.isCurrent(id, lease)) this.#cache.addDescription(id, description);
  }

  /** The blocks `[from, to)`; neighbours that are missing are read at once. */
  blocks(id: BlobId, from: number, to: number, byteCount: number): Promise<readonly Uint8Array[]> {
    const pending = this.#pending.get(id);
    const blocks: Promise<Uint8Array>[] = [];
    for (let number = from; number < to;) {
      const block = this.#cache.block(id, number) ?? pending?.get(number);
      if (block !== undefined) {
        blocks.push(Promise.resolve(block));
        number++;
        continue;
      }
      let end = number + 1;
      while (end < to && !this.#cache.block(id, end) && !pending?.has(end)) end++;
      blocks.push(...this.#fetch(id, number, end, byteCount));
      number = end;
    }
    return Promise.all(blocks);
  }

  /** Whether all of `[from, to)` can be had without the store. */
  has(id: BlobId, from: number, to: number): boolean {
    for (let number = from; number < to; number++) {
      if (this.#cache.block(id, number) === undefined) return false;
    }
    return true;
  }

  /** After the blob was deleted: nothing of it is kept, nor what is still being read. */
  forget(id: BlobId): void {
    this.#cache.drop(id);
    this.#pending.delete(id);
    this.#readers.forget(id);
  }

  #fetch(id: BlobId, from: number, to: number, byteCount: number): readonly Promise<Uint8Array>[] {
    const pending: PendingBlocks = this.#pending.get(id) ?? new Map<number, Promise<Uint8Array>>();
    this.#pending.set(id, pending);
    const reading = this.#read(id, from, to, byteCount);
    return Array.from({ length: to - from }, (_, position) => {
      const number = from + position;
      const block = this.#keep(id, number, pending, reading, position);
      pending.set(number, block);
      return block;
    });
  }

  async #keep(
    id: BlobId,
    number: number,
    pending: PendingBlocks,
    reading: Promise<Uint8Array>,
    position: number,
  ): Promise<Uint8Array> {
    try {
      const start = position * this.#blockBytes;
      // A copy, so that no part of the cache holds the memory of all that was read with it.
      const block = (await reading).slice(start, start + this.#blockBytes);
      if (this.#pending.get(id) === pending) this.#cache.addBlock(id, number, block);
      return block;
    } finally {
      pending.delete(number);
      if (pending.size === 0 && this.#pending.get(id) === pending) this.#pending.delete(id);
    }
  }

  async #read(id: BlobId, from: number, to: number, byteCount: number): Promise<Uint8Array> {
    const start = from * this.#blockBytes;
    const end = Math.min(to * this.#blockBytes, byteCount);
    const lease = this.#readers.acquire(id);
    try {
      const bytes = await (await lease.opening).read(start, end);
      if (bytes.length !== end - start) {
        throw blobCorrupt(id, `it ends at byte ${start + bytes.length} instead of ${byteCount}`);
      }
      return bytes;
    } finally {
      await lease.release();
    }
  }
}
