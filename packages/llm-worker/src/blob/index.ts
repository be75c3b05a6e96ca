export type * from "./blob-store.js";
export { blobStoreErrorCode } from "./blob-store.js";
export type * from "./content.js";
export { structuredContent } from "./content.js";
export type * from "./blob-index.js";
export {
  BlobIndexBuilder,
  MIN_INDEXED_BYTES,
  type BlobIndexBuilderOptions,
} from "./index-builder.js";
export {
  decodeBlobIndex,
  encodeBlobIndex,
  openBlobIndex,
  openedIndex,
  type BlobDescription,
  type OpenedIndex,
} from "./index-codec.js";
export type { Lookup } from "./lookup.js";
export { keepDescription, knownDescription } from "./known-description.js";
export { contentBytes, contentOf, createBytesReader, openBlobReader } from "./blob-reader.js";
export { linkSignal, type LinkedSignal } from "./linked-signal.js";
export { startTimer } from "./timer.js";
export { CorruptBlobError, CorruptIndexError, ReaderClosedError } from "./blob-error.js";
export {
  arrayLength,
  arrayRange,
  elementRanges,
  jsonTypeAt,
  jsonTypeOf,
  lineAt,
  lineEntryRanges,
  lineRange,
  memberKeys,
  memberRange,
  wholeSpan,
  type ByteSpan,
  type ElementRangesOptions,
  type JsonType,
  type LineRange,
  type MemberEntry,
  type MemberKeysOptions,
  type MemberListing,
} from "./ranges.js";
