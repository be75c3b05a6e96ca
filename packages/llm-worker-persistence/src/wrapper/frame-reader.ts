import type { BlobId, BlobIndex, BlobReader, BlobStat } from "llm-worker/blob";
import { blobCorrupt } from "../blob-store-error.js";
import { clampRange } from "../byte-range.js";
import { unpackFrame } from "./frame.js";
import { type FrameTable, parseFrameTable, tableByteCount } from "./frame-table.js";

/** The first read has the table of most blobs. */
const FIRST_READ_BYTES = 16 * 1024;
/** How much of a payload is unpacked at once. */
const BATCH_BYTES = 1024 * 1024;

/** Reads the payload of a compressed blob; decompresses the frames that a range touches. */
export class FrameReader implements BlobReader {
  readonly stat: BlobStat;
  readonly index: BlobIndex | undefined;
  readonly #id: BlobId;
  readonly #stored: BlobReader;
  readonly #table: FrameTable;

  private constructor(id: BlobId, stored: BlobReader, table: FrameTable) {
    this.#id = id;
    this.#stored = stored;
    this.#table = table;
    this.stat = table.stat;
    this.index = table.index;
  }

  /**
   * Reads the table at the end of the stored blob. The reader takes over `stored`, unless this rejects.
   * @throws BlobStoreError `corrupt`, and what `stored` rejects with
   */
  static async open(id: BlobId, stored: BlobReader): Promise<FrameReader> {
    const { byteCount } = stored.stat;
    const start = Math.max(0, byteCount - FIRST_READ_BYTES);
    let end = await stored.read(start, byteCount);
    const tableBytes = tableByteCount(end);
    if (tableBytes === undefined || tableBytes > byteCount) throw noTable(id);
    if (tableBytes > end.length) end = await stored.read(byteCount - tableBytes, byteCount);
    const table = parseFrameTable(end.subarray(-tableBytes), byteCount);
    if (table === undefined) throw noTable(id);
    return new FrameReader(id, stored, table);
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const range = clampRange(start, end, this.stat.byteCount);
    // Tells of a reader that is closed and of a blob that is gone, as any other read.
    if (range.start === range.end) return this.#stored.read(0, 0);
    const { frameBytes } = this.#table;
    const payload = new Uint8Array(range.end - range.start);
    const first = Math.floor(range.start / frameBytes);
    const afterLast = Math.ceil(range.end / frameBytes);
    const batchSize = Math.ceil(BATCH_BYTES / frameBytes);
    for (let from = first; from < afterLast; from += batchSize) {
      const frames = await this.#unpack(from, Math.min(from + batchSize, afterLast));
      frames.forEach((frame, position) => {
        const frameStart = (from + position) * frameBytes;
        const skipped = Math.max(0, range.start - frameStart);
        const part = frame.subarray(skipped, range.end - frameStart);
        payload.set(part, frameStart + skipped - range.start);
      });
    }
    return payload;
  }

  close(): Promise<void> {
    return this.#stored.close();
  }

  async #unpack(from: number, to: number): Promise<readonly Uint8Array[]> {
    const { offsets, frameBytes, frame } = this.#table;
    const offsetOf = (number: number): number => offsets[number] as number; // at most the last
    const begin = offsetOf(from);
    const bytes = await this.#stored.read(begin, offsetOf(to));
    const numbers = Array.from({ length: to - from }, (_, position) => from + position);
    return Promise.all(
      numbers.map(async (number) => {
        const stored = bytes.subarray(offsetOf(number) - begin, offsetOf(number + 1) - begin);
        const payloadBytes = Math.min(frameBytes, this.stat.byteCount - number * frameBytes);
        const payload = await unpackFrame(frame(number, stored), payloadBytes);
        if (payload === undefined) {
          throw blobCorrupt(this.#id, `compressed frame ${number} is not what was stored`);
        }
        return payload;
      }),
    );
  }
}

function noTable(id: BlobId): Error {
  return blobCorrupt(id, "the table of its compressed frames is broken or of a later version");
}
