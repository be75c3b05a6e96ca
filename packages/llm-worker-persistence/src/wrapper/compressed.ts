import { constants } from "node:buffer";
import { blobStoreErrorCode, contentOf, createBytesReader } from "llm-worker/blob";
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
import { writeContent } from "../blob-sink.js";
import type { BlobStore, CompleteBlobStore } from "../blob-store.js";
import { BlobStoreError } from "../blob-store-error.js";
import { SinkWriter } from "../sink-writer.js";
import { completeStore, withCapabilitiesOf } from "./capabilities.js";
import { checkedInteger } from "./checked-integer.js";
import { FrameReader } from "./frame-reader.js";
import { type FrameFormat, FrameSink } from "./frame-sink.js";
import { FRAMES_MEDIA_TYPE } from "./frame-table.js";
import { mapBatches } from "./map-batches.js";
import { contentByteCount, SmallBlobSink } from "./small-blob-sink.js";

const DEFAULT_FRAME_BYTES = 64 * 1024;
const MIN_FRAME_BYTES = 1024;
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** So much of a stream waits until it is clear whether it is small. */
const MAX_MIN_BYTES = 16 * 1024 * 1024;
const DEFAULT_LEVEL = 6;
const DEFAULT_MIN_BYTES = 4096;

/** Options of {@link compressed}. */
export interface CompressedOptions {
  /**
   * Payload bytes that are compressed together, 1 KiB to 16 MiB; default 64 KiB. A read decompresses
   * whole frames; larger ones are smaller in the store.
   */
  readonly frameBytes?: number | undefined;
  /** Effort of deflate, 1 (fast) to 9 (small); default 6. */
  readonly level?: number | undefined;
  /** Blobs smaller than this, at most 16 MiB, are stored as they are; default 4096. */
  readonly minBytes?: number | undefined;
}

/**
 * A store that keeps payloads compressed in another one, in frames, so that a range is read at the
 * cost of the frames that it touches. Ids are those of the store below; what that store holds
 * uncompressed is read as it is. It has the capabilities that the store below has.
 *
 * @throws RangeError if an option is out of bounds
 */
export function compressed(
  store: CompleteBlobStore,
  options?: CompressedOptions,
): CompleteBlobStore;
export function compressed(store: BlobStoreLike, options?: CompressedOptions): BlobStore;
export function compressed(store: BlobStoreLike, options: CompressedOptions = {}): BlobStore {
  return withCapabilitiesOf(store, new CompressedBlobStore(completeStore(store), options));
}

class CompressedBlobStore implements CompleteBlobStore {
  readonly #inner: CompleteBlobStore;
  readonly #format: FrameFormat;
  readonly #minBytes: number;

  constructor(inner: CompleteBlobStore, options: CompressedOptions) {
    const { frameBytes = DEFAULT_FRAME_BYTES, level = DEFAULT_LEVEL } = options;
    this.#inner = inner;
    this.#format = {
      frameBytes: checkedInteger("frameBytes", frameBytes, MIN_FRAME_BYTES, MAX_FRAME_BYTES),
      level: checkedInteger("level", level, 1, 9),
    };
    const { minBytes = DEFAULT_MIN_BYTES } = options;
    this.#minBytes = checkedInteger("minBytes", minBytes, 0, MAX_MIN_BYTES);
  }

  async store(content: Content): Promise<BlobId> {
    const mediaType = content.type === "binary" ? content.mediaType : undefined;
    if (contentByteCount(content) < this.#minBytesFor(mediaType)) return this.#inner.store(content);
    return writeContent(await this.#openSink(), content);
  }

  async load(id: BlobId): Promise<Content> {
    const content = await this.#inner.load(id);
    if (content.type !== "binary" || content.mediaType !== FRAMES_MEDIA_TYPE) return content;
    const { bytes, mediaType } = content;
    const stored: BlobStat = { kind: "binary", byteCount: bytes.length, mediaType };
    const reader = await FrameReader.open(id, createBytesReader(bytes, stored));
    const { byteCount } = reader.stat;
    if (byteCount > constants.MAX_LENGTH) throw tooLargeToLoad(id, byteCount);
    return contentOf(reader.stat, await reader.read(0, byteCount));
  }

  exists(id: BlobId): Promise<boolean> {
    return this.#inner.exists(id);
  }

  async stat(id: BlobId): Promise<BlobStat> {
    const reader = await this.openReader(id);
    await reader.close();
    return reader.stat;
  }

  async openReader(id: BlobId): Promise<BlobReader> {
    const stored = await this.#inner.openReader(id);
    if (stored.stat.mediaType !== FRAMES_MEDIA_TYPE) return stored;
    try {
      return await FrameReader.open(id, stored);
    } catch (error) {
      await stored.close();
      throw error;
    }
  }

  async openWriter(options: BlobWriterOptions = {}): Promise<BlobWriter> {
    options.signal?.throwIfAborted();
    const sink = new SmallBlobSink({
      store: this.#inner,
      options,
      minBytes: this.#minBytesFor(options.mediaType),
      openLarge: () => this.#openSink(options.signal),
    });
    return new SinkWriter(sink, options);
  }

  delete(id: BlobId): Promise<boolean> {
    return this.#inner.delete(id);
  }

  async *list(): AsyncIterable<BlobEntry> {
    const entries = mapBatches(this.#inner.list(), (entry) => this.#payloadEntry(entry));
    for await (const entry of entries) if (entry) yield entry;
  }

  async #payloadEntry(entry: BlobEntry): Promise<BlobEntry | undefined> {
    try {
      return { ...entry, byteCount: (await this.stat(entry.id)).byteCount };
    } catch (error) {
      const code = blobStoreErrorCode(error);
      // Deleted meanwhile.
      if (code === "not_found") return undefined;
      // It has to be listed, or nobody can delete it; what is known is what it takes up.
      if (code === "corrupt") return entry;
      throw error;
    }
  }

  async #openSink(signal?: AbortSignal): Promise<FrameSink> {
    const writer = await this.#inner.openWriter({ mediaType: FRAMES_MEDIA_TYPE, signal });
    return new FrameSink(writer, this.#format);
  }

  /** What looks like frames would be read as such, so it is never stored as it is. */
  #minBytesFor(mediaType: string | undefined): number {
    return mediaType === FRAMES_MEDIA_TYPE ? 0 : this.#minBytes;
  }
}

function tooLargeToLoad(blobId: BlobId, byteCount: number): BlobStoreError {
  return new BlobStoreError(
    "unavailable",
    `blob ${blobId} is too large to be in memory as a whole (${byteCount} bytes): read parts of it with openReader()`,
    { blobId },
  );
}
