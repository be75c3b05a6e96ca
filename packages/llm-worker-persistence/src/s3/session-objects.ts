import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { S3IntegrityFailure } from "./s3-failure.js";
import type { S3ObjectPart } from "./read-range.js";
import type { NewS3Object } from "./s3-objects.js";

/** So many bytes have a checksum of their own, and of merged appends are read at a time. */
export const PIECE_BYTES: number = 4 * 1024 * 1024;
/** The checksums of more have no room in the metadata. */
export const MAX_MERGED_BYTES: number = 64 * PIECE_BYTES;
/** So long is what tells one append from another. */
export const NONCE_BYTES = 8;

const CONTENT_TYPE = "application/x-ndjson";
const MERGED_CONTENT_TYPE = "application/octet-stream";
const NONCE = "llm-worker-append";
const CHECKSUMS = "llm-worker-crc32";

/** What tells one append from another, also where both have the same lines. */
export function createNonce(): Uint8Array {
  return randomBytes(NONCE_BYTES);
}

/** The object of one append. */
export function appendObject(key: string, nonce: Uint8Array, lines: Uint8Array): NewS3Object {
  return { key, contentType: CONTENT_TYPE, metadata: metadataOf(nonce, lines) };
}

/**
 * The object of many appends.
 *
 * @param nonce tells one compaction from another
 * @param bytes all their lines, then the nonce of each
 */
export function mergedObject(key: string, nonce: Uint8Array, bytes: Uint8Array): NewS3Object {
  return { key, contentType: MERGED_CONTENT_TYPE, metadata: metadataOf(nonce, bytes) };
}

/** The object of a piece of a trace. */
export function traceObject(key: string): NewS3Object {
  return { key, contentType: CONTENT_TYPE };
}

/** Nonce of the append whose object this is part of. Zeros if somebody else has put it there. */
export function nonceOf({ metadata }: S3ObjectPart): Uint8Array {
  const nonce = Buffer.from(metadata[NONCE] ?? "", "hex");
  return nonce.length === NONCE_BYTES ? nonce : new Uint8Array(NONCE_BYTES);
}

/**
 * @param part whole pieces of an object
 * @throws S3IntegrityFailure if it is not what was written
 */
export function verifyPart(part: S3ObjectPart, objectBytes: number): void {
  if (part.totalBytes !== objectBytes) throw new S3IntegrityFailure("another size than was listed");
  const checksums = part.metadata[CHECKSUMS]?.split(",");
  if (checksums === undefined) return;
  for (let start = 0; start < part.bytes.length; start += PIECE_BYTES) {
    const found = checksum(part.bytes.subarray(start, start + PIECE_BYTES));
    if (checksums[(part.start + start) / PIECE_BYTES] !== found) {
      throw new S3IntegrityFailure("a checksum that does not match");
    }
  }
}

function metadataOf(nonce: Uint8Array, bytes: Uint8Array): Readonly<Record<string, string>> {
  const metadata = { [NONCE]: Buffer.from(nonce).toString("hex") };
  if (bytes.length > MAX_MERGED_BYTES) return metadata;
  const checksums: string[] = [];
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    checksums.push(checksum(bytes.subarray(start, start + PIECE_BYTES)));
  }
  return { ...metadata, [CHECKSUMS]: checksums.join() };
}

function checksum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}
