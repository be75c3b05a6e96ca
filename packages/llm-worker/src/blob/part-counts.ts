import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { jsonTypeOf } from "./json-bytes.js";
import type { JsonContainer } from "./json-visitor.js";
import { ReaderMemo } from "./reader-memo.js";

const counts = new ReaderMemo<number>();

/** How many elements or members an array or object has, if a scan of this reader has counted them. */
export function countedParts(
  reader: BlobReader,
  span: ByteSpan,
  type: JsonContainer,
): number | undefined {
  return counts.get(reader, span, type);
}

/** Keeps how many there are. */
export function keepPartCount(
  reader: BlobReader,
  span: ByteSpan,
  type: JsonContainer,
  count: number,
): void {
  counts.set(reader, span, count, type);
}

/** The same of a value as a scan reports it: whoever asks for it asks for its count next. */
export function keepCountOfValue(
  reader: BlobReader,
  span: ByteSpan,
  firstByte: number,
  partCount: number,
): void {
  const type = jsonTypeOf(firstByte);
  // 0: it was left out, or it is quickly counted.
  if (partCount > 0 && (type === "array" || type === "object")) {
    counts.set(reader, span, partCount, type);
  }
}
