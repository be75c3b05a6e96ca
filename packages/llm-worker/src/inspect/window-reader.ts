import type { BlobReader } from "../blob/blob-store.js";

/** What is read at least: an answer of the usual size, with what is looked at around it. */
const MIN_READ_BYTES = 32_768;

/**
 * Reads a blob through a window, the bytes that were read last: an answer looks at the same few
 * kilobytes again and again, and each read costs a store several calls of the system, or a request.
 * What it gives out shares the memory of the window.
 */
export function createWindowReader(source: BlobReader): BlobReader {
  const { stat, index } = source;
  let windowStart = 0;
  let window: Uint8Array = new Uint8Array();
  return {
    stat,
    index,
    async read(from: number, to: number, into?: Uint8Array): Promise<Uint8Array> {
      const start = Math.max(0, from);
      const end = Math.max(start, Math.min(to, stat.byteCount));
      if (start < windowStart || end > windowStart + window.length) {
        // The memory is the caller's, and will hold something else.
        if (into !== undefined) return source.read(start, end, into);
        const bytes = await source.read(start, Math.max(end, start + MIN_READ_BYTES));
        // Another read may have moved the window meanwhile: this one is answered from its own.
        [windowStart, window] = [start, bytes];
        return bytes.subarray(0, end - start);
      }
      return window.subarray(start - windowStart, end - windowStart);
    },
    close: () => source.close(),
  };
}
