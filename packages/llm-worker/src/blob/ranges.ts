export { lineAt, lineRange, type LineRange } from "./line-ranges.js";
export {
  arrayLength,
  arrayRange,
  elementRanges,
  type ElementRangesOptions,
} from "./array-ranges.js";
export { lineEntryRanges } from "./ndjson-ranges.js";
export {
  memberKeys,
  memberRange,
  type MemberEntry,
  type MemberKeysOptions,
  type MemberListing,
} from "./member-ranges.js";
export { jsonTypeAt, wholeSpan } from "./json-scan.js";
export { jsonTypeOf, type JsonType } from "./json-bytes.js";
export type { ByteSpan } from "./bytes.js";
