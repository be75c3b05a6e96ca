import { blobStoreErrorCode } from "llm-worker/blob";
import type { BlobId, BlobIndex, BlobReader, BlobStat } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";
import { blobCorrupt } from "../blob-store-error.js";
import { decodePointer, type Pointer } from "./pointer.js";

/** Reads the pointer that a blob is. @throws BlobStoreError `corrupt` */
export async function readPointer(id: BlobId, stored: BlobReader): Promise<Pointer> {
  return parsePointer(id, await stored.read(0, stored.stat.byteCount));
}

/** @throws BlobStoreError `corrupt` */
export function parsePointer(id: BlobId, payload: Uint8Array): Pointer {
  const pointer = decodePointer(payload);
  if (pointer === undefined) throw blobCorrupt(id, "it does not say where its payload is");
  return pointer;
}

/** What the store says of a content, as an error about the blob that points to it. */
export function toPointerError(error: unknown, id: BlobId): unknown {
  return blobStoreErrorCode(error) === "not_found"
    ? blobCorrupt(id, "its payload was removed from the store that it is shared in")
    : error;
}

/** Reads a content as the blob that points to it. */
export class PointerReader implements BlobReader {
  readonly stat: BlobStat;
  readonly index: BlobIndex | undefined;
  readonly #id: BlobId;
  readonly #content: BlobReader;

  private constructor(id: BlobId, { stat, index }: Pointer, content: BlobReader) {
    this.stat = stat;
    this.index = index;
    this.#id = id;
    this.#content = content;
  }

  /** @throws BlobStoreError `corrupt` if the content is gone or is another one */
  static async open(
    store: CompleteBlobStore,
    id: BlobId,
    pointer: Pointer,
  ): Promise<PointerReader> {
    const content = await store.openReader(pointer.contentId).catch((error: unknown) => {
      throw toPointerError(error, id);
    });
    const { byteCount } = content.stat;
    if (byteCount !== pointer.stat.byteCount) {
      await content.close();
      throw blobCorrupt(
        id,
        `its payload has ${byteCount} bytes instead of ${pointer.stat.byteCount}`,
      );
    }
    return new PointerReader(id, pointer, content);
  }

  async read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
    try {
      return await this.#content.read(start, end, into);
    } catch (error) {
      throw toPointerError(error, this.#id);
    }
  }

  close(): Promise<void> {
    return this.#content.close();
  }
}
