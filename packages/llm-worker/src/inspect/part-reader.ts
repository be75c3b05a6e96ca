import type { BlobIndex } from "../blob/blob-index.js";
import type { BlobReader, BlobStat } from "../blob/blob-store.js";
import type { ByteSpan } from "../blob/ranges.js";

/** What is known of a part, apart from its size. */
export interface PartFacts extends Omit<BlobStat, "byteCount"> {
  /** Offsets count from where the part begins. */
  readonly index?: BlobIndex | undefined;
}

/** Bytes put around a part: the brackets of a slice. */
export interface PartFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

const NO_FRAME: PartFrame = { before: new Uint8Array(), after: new Uint8Array() };

/** Reads a span of a blob as a blob of its own. */
export function createPartReader(
  source: BlobReader,
  { start, end }: ByteSpan,
  { index, ...facts }: PartFacts,
  { before, after }: PartFrame = NO_FRAME,
): BlobReader {
  const bodyEnd = before.length + end - start;
  const stat: BlobStat = { ...facts, byteCount: bodyEnd + after.length };
  return {
    stat,
    index,
    async read(from: number, to: number, into?: Uint8Array): Promise<Uint8Array> {
      const first = Math.max(0, from);
      const bodyFrom = start + Math.max(0, first - before.length);
      const bodyTo = Math.min(end, start + to - before.length);
      const body = bodyFrom < bodyTo ? await source.read(bodyFrom, bodyTo, into) : new Uint8Array();
      if (first >= before.length && to <= bodyEnd) return body;
      return Buffer.concat([
        before.subarray(first, Math.max(0, to)),
        body,
        after.subarray(Math.max(0, first - bodyEnd), Math.max(0, to - bodyEnd)),
      ]);
    },
    close: () => source.close(),
  };
}
