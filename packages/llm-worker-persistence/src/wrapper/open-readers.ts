import type { BlobId, BlobReader } from "llm-worker/blob";
import { blobNotFound } from "../blob-store-error.js";

/** The open readers of blobs whose bytes stay when the blob is deleted: they then reject all the same. */
export class OpenReaders {
  readonly #open = new Map<BlobId, Set<DeletableReader>>();

  /** The reader, for as long as its blob is not deleted. */
  add(id: BlobId, reader: BlobReader): BlobReader {
    const readers = this.#open.get(id) ?? new Set();
    this.#open.set(id, readers);
    const added = new DeletableReader(id, reader, () => {
      readers.delete(added);
      if (readers.size === 0 && this.#open.get(id) === readers) this.#open.delete(id);
    });
    readers.add(added);
    return added;
  }

  markDeleted(id: BlobId): void {
    for (const reader of this.#open.get(id) ?? []) reader.isDeleted = true;
    this.#open.delete(id);
  }
}

class DeletableReader implements BlobReader {
  readonly stat: BlobReader["stat"];
  readonly index: BlobReader["index"];
  isDeleted = false;
  readonly #id: BlobId;
  readonly #reader: BlobReader;
  readonly #onClose: () => void;

  constructor(id: BlobId, reader: BlobReader, onClose: () => void) {
    this.stat = reader.stat;
    this.index = reader.index;
    this.#id = id;
    this.#reader = reader;
    this.#onClose = onClose;
  }

  async read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
    if (this.isDeleted) throw blobNotFound(this.#id);
    return this.#reader.read(start, end, into);
  }

  close(): Promise<void> {
    this.#onClose();
    return this.#reader.close();
  }
}
