import type { BlobIndex, BlobReader, BlobStat } from "llm-worker/blob";
import { alreadyClosed } from "../blob-store-error.js";
import { clampRange } from "../byte-range.js";
import type { S3Payload } from "./s3-payload.js";

/** Reads ranges of one payload; holds at most one of them. */
export class S3BlobReader implements BlobReader {
  readonly stat: BlobStat;
  readonly index: BlobIndex | undefined;
  readonly #run: <T>(task: () => Promise<T>) => Promise<T>;
  #payload: S3Payload | undefined;

  /** @param run what each read goes through: counts it, and names its errors */
  constructor(payload: S3Payload, run: <T>(task: () => Promise<T>) => Promise<T>) {
    this.stat = payload.record.description.stat;
    this.index = payload.record.description.index;
    this.#payload = payload;
    this.#run = run;
  }

  read(start: number, end: number): Promise<Uint8Array> {
    return this.#run(async () => {
      if (!this.#payload) throw alreadyClosed("reader");
      const range = clampRange(start, end, this.stat.byteCount);
      return this.#payload.read(range.start, range.end);
    });
  }

  async close(): Promise<void> {
    this.#payload = undefined;
  }
}
