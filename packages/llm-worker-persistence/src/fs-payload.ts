import type { Stats } from "node:fs";
import { join } from "node:path";
import type { BlobId } from "llm-worker/blob";
import { PAYLOAD_EXTENSIONS, type PayloadExtension } from "./blob-layout.js";
import { blobCorrupt, blobNotFound } from "./blob-store-error.js";
import { type FileSystem, OPEN_EXISTING } from "./file-system.js";
import { errnoOf } from "./fs-error.js";
import { type OpenFile, readAt } from "./open-file.js";

/** What tells a file from another one in its place. */
export type FileIdentity = Pick<Stats, "dev" | "ino" | "size" | "mtimeMs">;

/** An open payload file, read by position through one handle. */
export class FsPayload {
  readonly id: BlobId;
  readonly extension: PayloadExtension;
  readonly identity: FileIdentity;
  readonly #handle: OpenFile;

  private constructor(
    id: BlobId,
    extension: PayloadExtension,
    { dev, ino, size, mtimeMs }: FileIdentity,
    handle: OpenFile,
  ) {
    this.id = id;
    this.extension = extension;
    this.identity = { dev, ino, size, mtimeMs };
    this.#handle = handle;
  }

  get byteCount(): number {
    return this.identity.size;
  }

  /**
   * Opens the payload of `id`, whatever its extension.
   * @param likely the extension that is tried first
   * @throws BlobStoreError `not_found`
   */
  static async open(
    fileSystem: FileSystem,
    directory: string,
    id: BlobId,
    likely?: PayloadExtension,
  ): Promise<FsPayload> {
    const extensions = likely === undefined ? PAYLOAD_EXTENSIONS : [likely, ...PAYLOAD_EXTENSIONS];
    for (const extension of extensions) {
      const handle = await openIfPresent(fileSystem, join(directory, id + extension));
      if (!handle) continue;
      try {
        const stats = await handle.stat();
        if (!stats.isFile()) throw blobCorrupt(id, "its payload is not a regular file");
        return new FsPayload(id, extension, stats, handle);
      } catch (error) {
        await handle.close();
        throw error;
      }
    }
    throw blobNotFound(id);
  }

  /**
   * The bytes of `[start, end)`, which must lie in the blob.
   * @throws BlobStoreError `not_found` if the blob was deleted since, `corrupt` if it was changed
   */
  async read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
    const byteCount = end - start;
    const hasRoom = into !== undefined && into.length >= byteCount;
    const bytes = hasRoom ? into.subarray(0, byteCount) : uninitialized(byteCount);
    await this.readInto(bytes, start);
    return bytes;
  }

  /** Fills `target` with the bytes from `start` on, which must lie in the blob. @throws as `read` */
  async readInto(target: Uint8Array, start: number): Promise<void> {
    const reading = readAt(this.#handle, target, start);
    const [filled] = await Promise.all([reading, this.assertUnchanged()]);
    if (filled < target.length) throw blobCorrupt(this.id, "its payload ends early");
  }

  /** @throws BlobStoreError `not_found` if the blob was deleted since, `corrupt` if it was changed */
  async assertUnchanged(): Promise<void> {
    const { nlink, size } = await this.#handle.stat();
    if (nlink === 0) throw blobNotFound(this.id);
    if (size !== this.byteCount) {
      throw blobCorrupt(this.id, `its payload has ${size} bytes instead of ${this.byteCount}`);
    }
  }

  /** Waits for the reads that are under way. Harmless when repeated. */
  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Not zeroed first: it is given out full or not at all. Not a `Buffer`, whose `slice` does not copy. */
function uninitialized(byteCount: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(byteCount).buffer);
}

/** The bytes of a small file; `undefined` if it is not there or is not a regular file. */
export async function readFileIfPresent(
  fileSystem: FileSystem,
  path: string,
): Promise<Uint8Array | undefined> {
  const handle = await openIfPresent(fileSystem, path);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const bytes = uninitialized(stats.size);
    return bytes.subarray(0, await readAt(handle, bytes, 0));
  } finally {
    // Not waited for: what it was read for goes on meanwhile.
    handle.close().catch(() => undefined);
  }
}

async function openIfPresent(fileSystem: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await fileSystem.open(path, OPEN_EXISTING);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
