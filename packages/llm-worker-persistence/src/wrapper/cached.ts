import { isUtf8 } from "node:buffer";
import { contentOf } from "llm-worker/blob";
import type {
  BlobEntry,
  BlobId,
  BlobReader,
  BlobStat,
  BlobStoreLike,
  BlobWriter,
  BlobWriterOptions,
  Content,
} from "llm-worker/blob";
import type { BlobStore, CompleteBlobStore } from "../blob-store.js";
import { blobCorrupt } from "../blob-store-error.js";
import { CachedBlocks, type CacheLimits } from "./cached-blocks.js";
import { checkedInteger } from "./checked-integer.js";
import { CachedReader, maxKeptBytes } from "./cached-reader.js";
import { completeStore, withCapabilitiesOf } from "./capabilities.js";

const DEFAULT_BLOCK_BYTES = 64 * 1024;
const MIN_BLOCK_BYTES = 1024;

/** Options of {@link cached}. */
export interface CachedOptions {
  /**
   * Memory for payload and indexes, in all; exact, with 256 bytes counted for the place of each block.
   * What is being read at the moment comes on top.
   */
  readonly maxBytes: number;
  /** What is read from the store, and kept, at once; at least 1 KiB, default 64 KiB. */
  readonly blockBytes?: number | undefined;
}

/**
 * A store that remembers what was read last from another one. Reads of more than a quarter of
 * `maxBytes` pass it by. What is deleted through it is forgotten; what is deleted otherwise can be
 * read until it is driven out. It has the capabilities that the store below has.
 *
 * @throws RangeError if an option is out of bounds
 */
export function cached(store: CompleteBlobStore, options: CachedOptions): CompleteBlobStore;
export function cached(store: BlobStoreLike, options: CachedOptions): BlobStore;
export function cached(store: BlobStoreLike, options: CachedOptions): BlobStore {
  return withCapabilitiesOf(store, new CachedBlobStore(completeStore(store), options));
}

class CachedBlobStore implements CompleteBlobStore {
  readonly #inner: CompleteBlobStore;
  readonly #limits: CacheLimits;
  readonly #blocks: CachedBlocks;

  constructor(inner: CompleteBlobStore, options: CachedOptions) {
    const { maxBytes, blockBytes = DEFAULT_BLOCK_BYTES } = options;
    this.#inner = inner;
    this.#limits = {
      maxBytes: checkedInteger("maxBytes", maxBytes, 0),
      blockBytes: checkedInteger("blockBytes", blockBytes, MIN_BLOCK_BYTES),
    };
    this.#blocks = new CachedBlocks(inner, this.#limits);
  }

  store(content: Content): Promise<BlobId> {
    return this.#inner.store(content);
  }

  async load(id: BlobId): Promise<Content> {
    const reader = await this.openReader(id);
    try {
      const { stat } = reader;
      if (stat.byteCount > maxKeptBytes(this.#limits)) return await this.#inner.load(id);
      const bytes = await reader.read(0, stat.byteCount);
      if (stat.kind !== "binary" && stat.validUtf8 !== false && !isUtf8(bytes)) {
        throw blobCorrupt(id, "its payload was valid UTF-8 and is no longer");
      }
      return contentOf(stat, bytes);
    } finally {
      await reader.close();
    }
  }

  exists(id: BlobId): Promise<boolean> {
    return this.#inner.exists(id);
  }

  async stat(id: BlobId): Promise<BlobStat> {
    return this.#blocks.knownDescription(id)?.stat ?? this.#inner.stat(id);
  }

  openReader(id: BlobId): Promise<BlobReader> {
    return CachedReader.open(id, this.#blocks, this.#limits);
  }

  openWriter(options?: BlobWriterOptions): Promise<BlobWriter> {
    return this.#inner.openWriter(options);
  }

  async delete(id: BlobId): Promise<boolean> {
    try {
      return await this.#inner.delete(id);
    } finally {
      this.#blocks.forget(id);
    }
  }

  list(): AsyncIterable<BlobEntry> {
    return this.#inner.list();
  }
}
