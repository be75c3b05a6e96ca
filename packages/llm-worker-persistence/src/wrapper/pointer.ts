import { encodeBlobIndex, openBlobIndex } from "llm-worker/blob";
import type { BlobDescription, BlobId } from "llm-worker/blob";
import { crc32 } from "./zlib.js";

/** A blob that says which other blob has its payload. */
export const POINTER_MEDIA_TYPE = "application/vnd.llm-worker.pointer";
/** A payload that pointers name. */
export const CONTENT_MEDIA_TYPE = "application/vnd.llm-worker.content";

/** Where the payload of a blob is, and what it is; two blobs of the same bytes may differ in type. */
export interface Pointer extends BlobDescription {
  readonly contentId: BlobId;
  /** SHA-256 of the payload, 32 bytes. */
  readonly sha256: Uint8Array;
}

/** Magic with version, CRC-32 of what follows (little-endian), hash, length and text of the id, description. */
const MAGIC = Buffer.from("LWP\u0001");
const HASH_START = MAGIC.length + 4;
const HASH_BYTES = 32;
const ID_LENGTH_START = HASH_START + HASH_BYTES;
const ID_START = ID_LENGTH_START + 2;

/** Writes a pointer as the payload of its blob. */
export function encodePointer({ contentId, sha256, stat, index }: Pointer): Uint8Array {
  const id = Buffer.from(contentId);
  const header = Buffer.alloc(ID_START);
  MAGIC.copy(header);
  header.set(sha256, HASH_START);
  header.writeUInt16LE(id.length, ID_LENGTH_START);
  const bytes = Buffer.concat([header, id, encodeBlobIndex({ stat, index })]);
  bytes.writeUInt32LE(crc32(bytes.subarray(HASH_START)), MAGIC.length);
  return bytes;
}

/** Reads what {@link encodePointer} wrote. `undefined` for anything else. */
export function decodePointer(payload: Uint8Array): Pointer | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  if (bytes.length < ID_START || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(MAGIC.length) !== crc32(bytes.subarray(HASH_START))) return undefined;
  const idEnd = ID_START + bytes.readUInt16LE(ID_LENGTH_START);
  const description = openBlobIndex(bytes.subarray(idEnd));
  return (
    description && {
      ...description,
      contentId: bytes.toString("utf8", ID_START, idEnd),
      sha256: new Uint8Array(bytes.subarray(HASH_START, ID_LENGTH_START)),
    }
  );
}
