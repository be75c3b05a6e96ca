import type { BlobId } from "llm-worker/blob";
import { parseBlobFileName, type PayloadExtension, SIDECAR_EXTENSION } from "../blob-layout.js";

/** The keys of the blobs under a prefix: the layout of an `FsBlobStore`. */
export class BlobKeys {
  /** What the keys of all blobs begin with. */
  readonly prefix: string;

  constructor(keyPrefix: string) {
    this.prefix = `${keyPrefix}blobs/`;
  }

  payload(id: BlobId, extension: PayloadExtension): string {
    return this.prefix + id + extension;
  }

  sidecar(id: BlobId): string {
    return this.prefix + id + SIDECAR_EXTENSION;
  }

  /** What a key says; `undefined` if it is not that of a part of a blob. */
  parse(key: string): ReturnType<typeof parseBlobFileName> {
    return key.startsWith(this.prefix)
      ? parseBlobFileName(key.slice(this.prefix.length))
      : undefined;
  }
}
