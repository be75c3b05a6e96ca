import { BlobIndexBuilder } from "llm-worker/blob";
import type { BlobDescription, BlobId } from "llm-worker/blob";
import {
  KIND_OF_EXTENSION,
  MIN_SIDECAR_PAYLOAD_BYTES,
  PAYLOAD_EXTENSIONS,
  type PayloadExtension,
  payloadExtension,
  plainBinaryStat,
} from "../blob-layout.js";
import { blobNotFound } from "../blob-store-error.js";
import { bytePieces } from "../content-pieces.js";
import type { BlobKeys } from "./blob-keys.js";
import { BLOCK_BYTES, verifyBlocks, wholeBlocks } from "./block-checksums.js";
import { decodeRecord, type ObjectRecord, recordOfMetadata } from "./object-record.js";
import { blobIdHint } from "./s3-blob-id.js";
import { S3IntegrityFailure } from "./s3-failure.js";
import type { S3ObjectPart } from "./read-range.js";
import type { S3Objects } from "./s3-objects.js";

/** A blob without a sidecar has arrived whole with so much of it. */
const FIRST_READ_BYTES = MIN_SIDECAR_PAYLOAD_BYTES;
/** A blob that nothing is known of is read in pieces of this size. */
const SCAN_BYTES = 4 * 1024 * 1024;
/** What is read is kept if it is not larger: the next read often lies in it. */
const MAX_KEPT_BYTES = 512 * 1024;

/** After a read that finds where lines begin, or a short one, comes one for what follows. */
const READ_AHEAD_BYTES = 32 * 1024;
const SHORT_READ_BYTES = 8 * 1024;

interface Located {
  readonly key: string;
  readonly etag: string | undefined;
}

interface Found extends Located {
  readonly extension: PayloadExtension;
  readonly part: S3ObjectPart;
}

interface KeptBytes {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** The payload of one blob, read by ranges, each of them verified. */
export class S3Payload {
  readonly id: BlobId;
  readonly record: ObjectRecord;
  readonly #objects: S3Objects;
  readonly #keys: BlobKeys;
  #located: Located | undefined;
  #kept: KeptBytes | undefined;

  private constructor(
    objects: S3Objects,
    keys: BlobKeys,
    id: BlobId,
    record: ObjectRecord,
    found?: Found,
  ) {
    this.#objects = objects;
    this.#keys = keys;
    this.id = id;
    this.record = record;
    if (found) {
      this.#located = found;
      this.#kept = this.#verified(found.part);
    }
  }

  /**
   * Reads what is known of a blob: one request for a blob that a store in S3 has written. A small
   * payload comes with it.
   * @throws BlobStoreError `not_found`
   */
  static async open(objects: S3Objects, keys: BlobKeys, id: BlobId): Promise<S3Payload> {
    const hint = blobIdHint(id);
    const hinted = hint.sidecar ? await readSidecar(objects, keys, id) : undefined;
    if (hinted) return new S3Payload(objects, keys, id, hinted);
    const found = await findPayload(objects, keys, id, 0, FIRST_READ_BYTES);
    if (!found) throw blobNotFound(id);
    const record = recordOfMetadata(found.part.metadata) ??
      (hint.sidecar ? undefined : await readSidecar(objects, keys, id)) ?? {
        description: await scan(objects, found, id),
      };
    return new S3Payload(objects, keys, id, record, found);
  }

  /**
   * The bytes of `[start, end)`, which must lie in the blob; the caller may change them.
   * @throws BlobStoreError `not_found` if the blob was deleted since
   */
  async read(start: number, end: number): Promise<Uint8Array> {
    if (start === end) return new Uint8Array();
    const kept = this.#kept;
    if (kept && kept.start <= start && end <= kept.start + kept.bytes.length) {
      return kept.bytes.slice(start - kept.start, end - kept.start);
    }
    const { byteCount, kind } = this.record.description.stat;
    const isShort = end - start <= (kind === "text" ? BLOCK_BYTES : SHORT_READ_BYTES);
    const wantedEnd = isShort ? Math.min(end + READ_AHEAD_BYTES, byteCount) : end;
    const range = this.record.checksums
      ? wholeBlocks(start, wantedEnd, byteCount)
      : { start, end: wantedEnd };
    const part = this.#verified(await this.#get(range.start, range.end));
    const isKept = part.bytes.length <= MAX_KEPT_BYTES;
    if (isKept) this.#kept = part;
    const wanted = part.bytes.subarray(start - part.start, end - part.start);
    if (wanted.length !== end - start) throw new S3IntegrityFailure("fewer bytes than there are");
    return isKept ? wanted.slice() : wanted;
  }

  async #get(start: number, end: number): Promise<S3ObjectPart> {
    const part = this.#located
      ? await this.#objects.getIfPresent(this.#located.key, start, end, this.#located.etag)
      : await this.#locate(start, end);
    if (!part) throw blobNotFound(this.id);
    return part;
  }

  async #locate(start: number, end: number): Promise<S3ObjectPart | undefined> {
    const likely = payloadExtension(this.record.description.stat);
    const found = await findPayload(this.#objects, this.#keys, this.id, start, end, likely);
    this.#located = found;
    return found?.part;
  }

  #verified(part: S3ObjectPart): S3ObjectPart {
    const { byteCount } = this.record.description.stat;
    if (part.totalBytes !== byteCount) {
      throw new S3IntegrityFailure(`${part.totalBytes} bytes instead of ${byteCount}`);
    }
    if (this.record.checksums) verifyBlocks(this.record.checksums, part.start, part.bytes);
    return part;
  }
}

/** The object that holds the payload of a blob, whatever its extension, and a part of it. */
export async function findPayload(
  objects: S3Objects,
  keys: BlobKeys,
  id: BlobId,
  start: number,
  end: number,
  likely?: PayloadExtension,
): Promise<Found | undefined> {
  const likeliest = [blobIdHint(id).extension, ...(likely === undefined ? [] : [likely])];
  for (const extension of new Set([...likeliest, ...PAYLOAD_EXTENSIONS])) {
    const key = keys.payload(id, extension);
    const part = await objects.getIfPresent(key, start, end);
    if (part) return { key, etag: part.etag, extension, part };
  }
  return undefined;
}

async function readSidecar(
  objects: S3Objects,
  keys: BlobKeys,
  id: BlobId,
): Promise<ObjectRecord | undefined> {
  const part = await objects.getIfPresent(keys.sidecar(id), 0, Number.MAX_SAFE_INTEGER);
  return part && decodeRecord(part.bytes);
}

/** Describes a payload that only its name tells of. */
async function scan(objects: S3Objects, found: Found, id: BlobId): Promise<BlobDescription> {
  const { totalBytes } = found.part;
  if (found.extension === ".bin") return { stat: plainBinaryStat(totalBytes) };
  const builder = new BlobIndexBuilder({ kind: KIND_OF_EXTENSION[found.extension] });
  for (const piece of bytePieces(found.part.bytes)) builder.write(piece);
  for (let start = found.part.bytes.length; start < totalBytes; start += SCAN_BYTES) {
    const part = await objects.getIfPresent(found.key, start, start + SCAN_BYTES, found.etag);
    if (!part) throw blobNotFound(id);
    for (const piece of bytePieces(part.bytes)) builder.write(piece);
  }
  return builder.finish();
}
