import { crc32 } from "node:zlib";
import { decodeBlobIndex, encodeBlobIndex, openBlobIndex } from "llm-worker/blob";
import type { BlobDescription } from "llm-worker/blob";
import { BLOCK_BYTES } from "./block-checksums.js";

/** What is known of a payload beside its bytes. */
export interface ObjectRecord {
  readonly description: BlobDescription;
  /** Absent if the payload was not written by a store in S3. */
  readonly checksums?: Uint32Array | undefined;
}

/** The name of the user metadata that holds the record of an object, if it is short. */
export const RECORD_METADATA = "llm-worker";

/** S3 takes 2 KB of user metadata, and base64 makes a third more of it. */
const MAX_METADATA_RECORD_BYTES = 1024;

/**
 * Then come the version, the size of a block in KiB, CRC-32 of the rest, the number of checksums, the
 * checksums, and the description as `encodeBlobIndex` writes it. Numbers are little-endian.
 */
const MAGIC = Buffer.from("LWS3");
const VERSION = 1;
const BLOCK_KIB_AT = 5;
const CRC_AT = 7;
const COUNT_AT = 11;
const CHECKSUMS_AT = 15;

/** Writes a record as bytes. */
export function encodeRecord({
  description,
  checksums = new Uint32Array(),
}: ObjectRecord): Uint8Array {
  const index = encodeBlobIndex(description);
  const bytes = Buffer.alloc(CHECKSUMS_AT + checksums.length * 4 + index.length);
  bytes.set(MAGIC);
  bytes.writeUInt8(VERSION, MAGIC.length);
  bytes.writeUInt16LE(BLOCK_BYTES / 1024, BLOCK_KIB_AT);
  bytes.writeUInt32LE(checksums.length, COUNT_AT);
  checksums.forEach((checksum, block) => bytes.writeUInt32LE(checksum, CHECKSUMS_AT + block * 4));
  bytes.set(index, CHECKSUMS_AT + checksums.length * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(COUNT_AT)), CRC_AT);
  return bytes;
}

/**
 * Reads what {@link encodeRecord} wrote, and also the sidecar of an `FsBlobStore`, which has no
 * checksums. `undefined` for anything else.
 */
export function decodeRecord(bytes: Uint8Array): ObjectRecord | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!buffer.subarray(0, MAGIC.length).equals(MAGIC)) {
    const description = decodeBlobIndex(bytes);
    return description && { description };
  }
  if (buffer.length < CHECKSUMS_AT || buffer[MAGIC.length] !== VERSION) return undefined;
  if (buffer.readUInt16LE(BLOCK_KIB_AT) !== BLOCK_BYTES / 1024) return undefined;
  if (buffer.readUInt32LE(CRC_AT) !== crc32(buffer.subarray(COUNT_AT))) return undefined;
  const checksums = new Uint32Array(buffer.readUInt32LE(COUNT_AT));
  for (let block = 0; block < checksums.length; block += 1) {
    checksums[block] = buffer.readUInt32LE(CHECKSUMS_AT + block * 4);
  }
  const description = openBlobIndex(bytes.subarray(CHECKSUMS_AT + checksums.length * 4));
  if (!description) return undefined;
  if (checksums.length !== Math.ceil(description.stat.byteCount / BLOCK_BYTES)) return undefined;
  return { description, checksums };
}

/** The metadata that holds an encoded record; `undefined` if that is too long for it. */
export function recordMetadata(encoded: Uint8Array): Readonly<Record<string, string>> | undefined {
  if (encoded.length > MAX_METADATA_RECORD_BYTES) return undefined;
  return { [RECORD_METADATA]: Buffer.from(encoded).toString("base64") };
}

/** The record that the metadata of an object holds, if any. */
export function recordOfMetadata(
  metadata: Readonly<Record<string, string>>,
): ObjectRecord | undefined {
  const encoded = metadata[RECORD_METADATA];
  return encoded === undefined ? undefined : decodeRecord(Buffer.from(encoded, "base64"));
}
