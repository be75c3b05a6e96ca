import type { BlobId } from "llm-worker/blob";
import type { BlobKeys } from "./blob-keys.js";
import { listedBlobs } from "./listed-blobs.js";
import { S3Failure } from "./s3-failure.js";
import type { S3Objects } from "./s3-objects.js";
import type { S3Output } from "./s3-sdk.js";

/** How much was removed that writers had left. */
export interface AbandonedParts {
  readonly uploadCount: number;
  readonly sidecarCount: number;
}

/** Removes uploads that were begun, and sidecars without payload that were written, before a time. */
export async function removeAbandonedParts(
  objects: S3Objects,
  keys: BlobKeys,
  beforeMs: number,
): Promise<AbandonedParts> {
  const uploadCount = await abortUploads(objects, keys, beforeMs);
  const sidecarCount = await deleteSidecars(objects, keys, beforeMs);
  return { uploadCount, sidecarCount };
}

async function abortUploads(objects: S3Objects, keys: BlobKeys, beforeMs: number): Promise<number> {
  let count = 0;
  const Bucket = objects.bucket;
  let page: S3Output<"ListMultipartUploads"> = {};
  do {
    page = await objects.requests.send("ListMultipartUploads", {
      Bucket,
      Prefix: keys.prefix,
      KeyMarker: page.NextKeyMarker,
      UploadIdMarker: page.NextUploadIdMarker,
    });
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined || !keys.parse(Key)) continue;
      if (Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
      if (await abort(objects, { Bucket, Key, UploadId })) count += 1;
    }
  } while (page.IsTruncated === true && page.NextKeyMarker !== undefined);
  return count;
}

async function abort(
  objects: S3Objects,
  address: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<boolean> {
  try {
    await objects.requests.send("AbortMultipartUpload", address);
    return true;
  } catch (error) {
    // It has come to its end meanwhile.
    if (error instanceof S3Failure && error.reason === "NoSuchUpload") return false;
    throw error;
  }
}

async function deleteSidecars(
  objects: S3Objects,
  keys: BlobKeys,
  beforeMs: number,
): Promise<number> {
  const abandoned: BlobId[] = [];
  for await (const { id, payload, sidecar } of listedBlobs(objects, keys)) {
    if (!payload && sidecar && sidecar.modifiedAtMs < beforeMs) abandoned.push(id);
  }
  for (const id of abandoned) await objects.delete(keys.sidecar(id));
  return abandoned.length;
}
