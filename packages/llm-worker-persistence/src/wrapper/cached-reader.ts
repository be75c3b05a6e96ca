import type { BlobDescription, BlobId, BlobIndex, BlobReader, BlobStat } from "llm-worker/blob";
import { alreadyClosed } from "../blob-store-error.js";
import { clampRange } from "../byte-range.js";
import type { CachedBlocks, CacheLimits } from "./cached-blocks.js";
import type { ReaderLease } from "./shared-readers.js";

/** A longer read than this share of the cache is not kept: it would only drive out the rest. */
const MAX_KEPT_SHARE = 1 / 4;

/** How many bytes may be read at once for the cache to keep them. */
export function maxKeptBytes({ maxBytes }: CacheLimits): number {
  return Math.floor(maxBytes * MAX_KEPT_SHARE);
}

/** Reads ranges of one blob through the cache; opens it in the store only where that has to be asked. */
export class CachedReader implements BlobReader {
  readonly stat: BlobStat;
  readonly index: BlobIndex | undefined;
  readonly #id: BlobId;
  readonly #blocks: CachedBlocks;
  readonly #limits: CacheLimits;
  #lease: ReaderLease | undefined;
  #closed = false;

  private constructor(
    id: BlobId,
    blocks: CachedBlocks,
    limits: CacheLimits,
    { stat, index }: BlobDescription,
    lease: ReaderLease | undefined,
  ) {
    this.stat = stat;
    this.index = index;
    this.#id = id;
    this.#blocks = blocks;
    this.#limits = limits;
    this.#lease = lease;
  }

  static async open(id: BlobId, blocks: CachedBlocks, limits: CacheLimits): Promise<CachedReader> {
    const known = blocks.knownDescription(id);
    if (known) return new CachedReader(id, blocks, limits, known, undefined);
    const lease = blocks.acquireReader(id);
    try {
      const { stat, index } = await lease.opening;
      blocks.learn(id, lease, { stat, index });
      return new CachedReader(id, blocks, limits, { stat, index }, lease);
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
    if (this.#closed) throw alreadyClosed("reader");
    const range = clampRange(start, end, this.stat.byteCount);
    if (range.end - range.start > maxKeptBytes(this.#limits)) {
      return (await this.#opened().opening).read(range.start, range.end, into);
    }
    const { blockBytes } = this.#limits;
    const first = Math.floor(range.start / blockBytes);
    const afterLast = Math.ceil(range.end / blockBytes);
    // Kept open from here on: what follows is likely to be missing as well.
    if (!this.#blocks.has(this.#id, first, afterLast)) this.#opened();
    const { byteCount } = this.stat;
    const blocks = await this.#blocks.blocks(this.#id, first, afterLast, byteCount);
    const bytes = new Uint8Array(range.end - range.start);
    blocks.forEach((block, position) => {
      const blockStart = (first + position) * blockBytes;
      const skipped = Math.max(0, range.start - blockStart);
      const part = block.subarray(skipped, Math.max(skipped, range.end - blockStart));
      bytes.set(part, Math.max(0, blockStart + skipped - range.start));
    });
    return bytes;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#lease?.release();
  }

  #opened(): ReaderLease {
    this.#lease ??= this.#blocks.acquireReader(this.#id);
    return this.#lease;
  }
}
