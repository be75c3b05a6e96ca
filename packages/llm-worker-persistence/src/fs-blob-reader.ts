import type { BlobDescription, BlobIndex, BlobReader, BlobStat } from "llm-worker/blob";
import { alreadyClosed } from "./blob-store-error.js";
import { clampRange } from "./byte-range.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";
import { toReadError } from "./fs-error.js";
import type { FsPayload } from "./fs-payload.js";

/** Reads ranges of one payload file; holds its handle until closed. */
export class FsBlobReader implements BlobReader {
  readonly stat: BlobStat;
  readonly index: BlobIndex | undefined;
  readonly #payload: FsPayload;
  readonly #limit: ConcurrencyLimit;
  #closed = false;

  constructor(payload: FsPayload, description: BlobDescription, limit: ConcurrencyLimit) {
    this.#payload = payload;
    this.stat = description.stat;
    this.index = description.index;
    this.#limit = limit;
  }

  read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
    return this.#limit.run(async () => {
      if (this.#closed) throw alreadyClosed("reader");
      const range = clampRange(start, end, this.stat.byteCount);
      try {
        return await this.#payload.read(range.start, range.end, into);
      } catch (error) {
        // Closed while it was reading.
        if (this.#closed) throw alreadyClosed("reader");
        throw toReadError(error, this.#payload.id);
      }
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#payload.close();
    } catch (error) {
      throw toReadError(error, this.#payload.id);
    }
  }
}
