import { createBytesReader } from "../../src/blob/blob-reader.js";
import type { BlobReader, BlobStat } from "../../src/blob/blob-store.js";
import { BlobIndexBuilder } from "../../src/blob/index-builder.js";

/** A reader that tells how much has been read through it. */
export interface CountingReader extends BlobReader {
  readonly counts: { bytes: number; reads: number; largestRead: number };
}

/** How the bytes are to be read. */
export interface CountingReaderOptions {
  readonly kind?: "text" | "structured" | "binary";
  /** As from a store that makes no index. */
  readonly withoutIndex?: true;
  /** As from a store that knows less. */
  readonly stat?: Partial<BlobStat>;
}

/** Reads bytes in memory, with the index that a shipped store would have, and counts. */
export function countingReader(
  payload: string | Uint8Array,
  options: CountingReaderOptions = {},
): CountingReader {
  const bytes = Buffer.from(payload);
  const builder = new BlobIndexBuilder({ kind: options.kind });
  builder.write(bytes);
  const { stat, index } = builder.finish();
  const inner = createBytesReader(bytes, stat);
  const counts = { bytes: 0, reads: 0, largestRead: 0 };
  return {
    counts,
    stat: { ...stat, ...options.stat },
    index: options.withoutIndex ? undefined : index,
    async read(start, end) {
      const part = await inner.read(start, end);
      counts.bytes += part.length;
      counts.reads++;
      counts.largestRead = Math.max(counts.largestRead, part.length);
      return part;
    },
    close: () => inner.close(),
  };
}
