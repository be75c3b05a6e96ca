import type { BlobId } from "llm-worker/blob";
import { createBlobId } from "../blob-id.js";
import { PAYLOAD_EXTENSIONS, type PayloadExtension } from "../blob-layout.js";

/** Where the parts of a blob are to be looked for first. */
export interface BlobIdHint {
  readonly extension: PayloadExtension;
  /** Whether there is a sidecar. */
  readonly sidecar: boolean;
}

/**
 * A new id whose last digit, which UUID v7 leaves to chance, says where the blob is: so one request
 * finds it. Of ids made elsewhere the digit says something wrong; that costs requests, no more.
 */
export function createS3BlobId({ extension, sidecar }: BlobIdHint): BlobId {
  const id = createBlobId();
  const random = lastDigit(id) & 0b1000;
  const digit = random | (PAYLOAD_EXTENSIONS.indexOf(extension) << 1) | Number(sidecar);
  return id.slice(0, -1) + digit.toString(16);
}

/** What the last digit of an id says. */
export function blobIdHint(id: BlobId): BlobIdHint {
  const digit = lastDigit(id);
  return {
    extension: PAYLOAD_EXTENSIONS[(digit >> 1) & 0b11] ?? ".txt",
    sidecar: (digit & 1) === 1,
  };
}

function lastDigit(id: BlobId): number {
  return Number.parseInt(id.slice(-1), 16);
}
