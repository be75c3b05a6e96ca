import { blobStoreErrorCode, contentBytes, contentOf } from "llm-worker/blob";
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
import { blobCorrupt, blobNotFound } from "../blob-store-error.js";
import { SinkWriter } from "../sink-writer.js";
import { completeStore, withCapabilitiesOf } from "./capabilities.js";
import { checkedInteger } from "./checked-integer.js";
import { OpenReaders } from "./open-readers.js";
import { CONTENT_MEDIA_TYPE, type Pointer, POINTER_MEDIA_TYPE } from "./pointer.js";
import { parsePointer, PointerReader, readPointer, toPointerError } from "./pointer-reader.js";
import {
  removeUnreferenced,
  type RemoveUnreferencedOptions,
  type RemoveUnreferencedReport,
} from "./remove-unreferenced.js";
import { createSha256 } from "./sha256.js";
import { SharedPayloads } from "./shared-payloads.js";
import { sharedBlobs } from "./shared-blobs.js";
import { contentByteCount, SmallBlobSink } from "./small-blob-sink.js";

const DEFAULT_MIN_BYTES = 4096;
/** So much of a stream waits until it is clear whether it is small. */
const MAX_MIN_BYTES = 16 * 1024 * 1024;

/** Options of {@link deduplicated}. */
export interface DeduplicatedOptions {
  /** Blobs smaller than this, at most 16 MiB, are stored as they are, each on its own; default 4096. */
  readonly minBytes?: number | undefined;
  /** Milliseconds since the epoch, by the clock that dates the blobs. */
  readonly now?: (() => number) | undefined;
}

/** What {@link deduplicated} gives for a store with all capabilities. */
export interface DeduplicatedBlobStore extends CompleteBlobStore {
  /**
   * Looks up which contents others have stored below in the last day, so that they are not stored
   * again. Lists the store and opens every recent blob.
   * @returns how many contents it now knows from there
   */
  learn(): Promise<number>;
  /**
   * Removes payloads that no blob has any more and that are older than 25 hours. Safe beside
   * writers of any process whose clocks differ by less than half an hour. Opens every blob.
   * @throws `corrupt` if a blob cannot be read and so may name any payload; nothing is removed then
   */
  removeUnreferenced(options?: RemoveUnreferencedOptions): Promise<RemoveUnreferencedReport>;
}

/**
 * A store that keeps equal payloads once in another one, each blob under an id of its own: a small
 * blob that points to the payload. Deleting a blob removes its pointer only, so it takes nothing
 * from others, whoever dies when; payloads go with `removeUnreferenced`. A payload is shared by
 * blobs that are stored within a day. It has the capabilities that the store below has.
 *
 * @throws RangeError if an option is out of bounds
 */
export function deduplicated(
  store: CompleteBlobStore,
  options?: DeduplicatedOptions,
): DeduplicatedBlobStore;
export function deduplicated(store: BlobStoreLike, options?: DeduplicatedOptions): BlobStore;
export function deduplicated(store: BlobStoreLike, options: DeduplicatedOptions = {}): BlobStore {
  return withCapabilitiesOf(store, new SharingBlobStore(completeStore(store), options));
}

class SharingBlobStore implements DeduplicatedBlobStore {
  readonly #inner: CompleteBlobStore;
  readonly #minBytes: number;
  readonly #now: () => number;
  readonly #payloads: SharedPayloads;
  readonly #readers = new OpenReaders();

  constructor(
    inner: CompleteBlobStore,
    { minBytes = DEFAULT_MIN_BYTES, now = Date.now }: DeduplicatedOptions,
  ) {
    this.#inner = inner;
    this.#minBytes = checkedInteger("minBytes", minBytes, 0, MAX_MIN_BYTES);
    this.#now = now;
    this.#payloads = new SharedPayloads(inner, now);
  }

  async store(content: Content): Promise<BlobId> {
    const mediaType = content.type === "binary" ? content.mediaType : undefined;
    if (contentByteCount(content) < this.#minBytesFor(mediaType)) return this.#inner.store(content);
    return this.#payloads.store(content);
  }

  async load(id: BlobId): Promise<Content> {
    const stored = await this.#inner.load(id);
    if (stored.type !== "binary") return stored;
    if (stored.mediaType === CONTENT_MEDIA_TYPE) throw blobNotFound(id);
    if (stored.mediaType !== POINTER_MEDIA_TYPE) return stored;
    return this.#loadContent(id, parsePointer(id, stored.bytes));
  }

  async exists(id: BlobId): Promise<boolean> {
    if (!(await this.#inner.exists(id))) return false;
    try {
      return (await this.#inner.stat(id)).mediaType !== CONTENT_MEDIA_TYPE;
    } catch (error) {
      const code = blobStoreErrorCode(error);
      // Deleted meanwhile; a blob that is damaged is there.
      if (code === "not_found" || code === "corrupt") return code === "corrupt";
      throw error;
    }
  }

  async stat(id: BlobId): Promise<BlobStat> {
    const stored = await this.#openStored(id);
    try {
      const { stat } = stored;
      return stat.mediaType === POINTER_MEDIA_TYPE ? (await readPointer(id, stored)).stat : stat;
    } finally {
      await stored.close();
    }
  }

  async openReader(id: BlobId): Promise<BlobReader> {
    const stored = await this.#openStored(id);
    if (stored.stat.mediaType !== POINTER_MEDIA_TYPE) return stored;
    try {
      const pointer = await readPointer(id, stored);
      return this.#readers.add(id, await PointerReader.open(this.#inner, id, pointer));
    } finally {
      await stored.close();
    }
  }

  async openWriter(options: BlobWriterOptions = {}): Promise<BlobWriter> {
    options.signal?.throwIfAborted();
    const sink = new SmallBlobSink({
      store: this.#inner,
      options,
      minBytes: this.#minBytesFor(options.mediaType),
      openLarge: () => this.#payloads.openSink(options.signal),
    });
    return new SinkWriter(sink, options);
  }

  async delete(id: BlobId): Promise<boolean> {
    if (!(await this.exists(id))) return false;
    const deleted = await this.#inner.delete(id);
    this.#readers.markDeleted(id);
    return deleted;
  }

  async *list(): AsyncIterable<BlobEntry> {
    for await (const blob of sharedBlobs(this.#inner)) {
      if (blob.role === "content") continue;
      const { entry } = blob;
      yield blob.role === "pointer" ? { ...entry, byteCount: blob.pointer.stat.byteCount } : entry;
    }
  }

  learn(): Promise<number> {
    return this.#payloads.learn();
  }

  removeUnreferenced(options: RemoveUnreferencedOptions = {}): Promise<RemoveUnreferencedReport> {
    return removeUnreferenced(this.#inner, options, this.#now());
  }

  async #openStored(id: BlobId): Promise<BlobReader> {
    const stored = await this.#inner.openReader(id);
    if (stored.stat.mediaType !== CONTENT_MEDIA_TYPE) return stored;
    await stored.close();
    throw blobNotFound(id);
  }

  async #loadContent(id: BlobId, pointer: Pointer): Promise<Content> {
    const content = await this.#inner.load(pointer.contentId).catch((error: unknown) => {
      throw toPointerError(error, id);
    });
    const bytes = contentBytes(content);
    if (!createSha256().update(bytes).digest().equals(pointer.sha256)) {
      throw blobCorrupt(id, "its payload does not match its hash");
    }
    return contentOf(pointer.stat, bytes);
  }

  /** What looks like one of our own would be read as such, so it is never stored as it is. */
  #minBytesFor(mediaType: string | undefined): number {
    const isOurs = mediaType === POINTER_MEDIA_TYPE || mediaType === CONTENT_MEDIA_TYPE;
    return isOurs ? 0 : this.#minBytes;
  }
}
