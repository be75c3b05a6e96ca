import type { BlobId } from "./blob-store.js";

/** Longer ids are not asked for: the header of an answer has to hold them. */
const MAX_ID_BYTES = 128;
/** As `\p{Cc}`, whose first use takes a tenth of a millisecond. */
const CONTROL = /[^ -~\u00a0-\uffff]/;

/** Whether a blob of this id can be named in one line, and read back by that name. */
export function isUsableId(id: unknown): id is BlobId {
  if (typeof id !== "string" || id === "" || id !== id.trim()) return false;
  return Buffer.byteLength(id) <= MAX_ID_BYTES && !CONTROL.test(id);
}
