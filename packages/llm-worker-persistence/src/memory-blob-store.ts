import { contentOf } from "llm-worker/blob";
import type {
  BlobEntry,
  BlobId,
  BlobIndex,
  BlobReader,
  BlobStat,
  BlobWriter,
  BlobWriterOptions,
  Content,
} from "llm-worker/blob";
import { assertBlobId, createBlobId } from "./blob-id.js";
import { type BlobSink, writeContent } from "./blob-sink.js";
import type { CompleteBlobStore } from "./blob-store.js";
import { alreadyClosed, blobNotFound } from "./blob-store-error.js";
import { clampRange } from "./byte-range.js";
import { SinkWriter } from "./sink-writer.js";

interface StoredBlob {
  readonly bytes: Uint8Array;
  readonly stat: BlobStat;
  readonly index: BlobIndex | undefined;
  readonly storedAtMs: number;
}

/**
 * Keeps blobs in the memory of this process, for as long as the store is referenced.
 * For tests and short runs; nothing is shared with callers, in or out.
 */
export class MemoryBlobStore implements CompleteBlobStore {
  readonly #blobs = new Map<BlobId, StoredBlob>();

  async store(content: Content): Promise<BlobId> {
    return writeContent(new MemorySink(this.#blobs), content);
  }

  async load(id: BlobId): Promise<Content> {
    const { stat, bytes } = this.#find(id);
    return contentOf(stat, bytes.slice());
  }

  async exists(id: BlobId): Promise<boolean> {
    assertBlobId(id);
    return this.#blobs.has(id);
  }

  async stat(id: BlobId): Promise<BlobStat> {
    return { ...this.#find(id).stat };
  }

  async openReader(id: BlobId): Promise<BlobReader> {
    const { stat, index } = this.#find(id);
    let closed = false;
    return {
      stat: { ...stat },
      index,
      read: async (start, end) => {
        if (closed) throw alreadyClosed("reader");
        const { bytes } = this.#find(id);
        const range = clampRange(start, end, bytes.length);
        return bytes.slice(range.start, range.end);
      },
      close: async () => {
        closed = true;
      },
    };
  }

  async openWriter(options: BlobWriterOptions = {}): Promise<BlobWriter> {
    options.signal?.throwIfAborted();
    return new SinkWriter(new MemorySink(this.#blobs), options);
  }

  async delete(id: BlobId): Promise<boolean> {
    assertBlobId(id);
    return this.#blobs.delete(id);
  }

  async *list(): AsyncIterable<BlobEntry> {
    for (const id of [...this.#blobs.keys()].toSorted()) {
      const blob = this.#blobs.get(id);
      if (blob) yield { id, byteCount: blob.bytes.length, storedAtMs: blob.storedAtMs };
    }
  }

  #find(id: BlobId): StoredBlob {
    assertBlobId(id);
    const blob = this.#blobs.get(id);
    if (!blob) throw blobNotFound(id);
    return blob;
  }
}

class MemorySink implements BlobSink {
  readonly #blobs: Map<BlobId, StoredBlob>;
  #pieces: Uint8Array[] = [];

  constructor(blobs: Map<BlobId, StoredBlob>) {
    this.#blobs = blobs;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#pieces.push(new Uint8Array(piece));
  }

  async publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId> {
    const bytes = new Uint8Array(stat.byteCount);
    let position = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, position);
      position += piece.length;
    }
    this.#pieces = [];
    const id = createBlobId();
    this.#blobs.set(id, { bytes, stat, index, storedAtMs: Date.now() });
    return id;
  }

  async discard(): Promise<void> {
    this.#pieces = [];
  }
}
