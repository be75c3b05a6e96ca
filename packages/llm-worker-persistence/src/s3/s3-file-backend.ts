import type { FileBackend, FileStat } from "llm-worker";
import { BlobStoreError } from "../blob-store-error.js";
import { assertBytes } from "../content-pieces.js";
import { parseFilePath } from "../file-path.js";
import { BLOCK_BYTES, verifyBlocks, wholeBlocks } from "./block-checksums.js";
import { FileKeys } from "./file-keys.js";
import { decodeRecord, type ObjectRecord, recordOfMetadata } from "./object-record.js";
import { toBlobStoreError } from "./s3-error.js";
import { S3FileWrite } from "./s3-file-write.js";
import { S3IntegrityFailure } from "./s3-failure.js";
import type { S3ObjectPart } from "./read-range.js";
import { S3Objects } from "./s3-objects.js";
import { keyPrefixOf, partBytesOf, type S3Options } from "./s3-options.js";

/**
 * Files of `offloadToFile` as objects: `/large_tool_result/call_1` is `PREFIX/large_tool_result/call_1`.
 * Give them a prefix of their own. What is read is verified. Any number of backends and machines may use
 * one prefix at the same time.
 *
 * Errors are `BlobStoreError`s. Needs `@aws-sdk/client-s3`, which is loaded by the first call.
 */
export class S3FileBackend implements FileBackend {
  readonly #objects: S3Objects;
  readonly #keys: FileKeys;
  readonly #partBytes: number;

  constructor(options: S3Options) {
    this.#objects = new S3Objects(options);
    this.#keys = new FileKeys(keyPrefixOf(options));
    this.#partBytes = partBytesOf(options);
  }

  /**
   * If `path` is taken, the file is `NAME-xxxxxxxx` beside it, in front of the extension if there is one.
   * So is a file that is larger than a part, and any file if the server has no conditional writes.
   */
  async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const write = new S3FileWrite(this.#objects, this.#keys, parseFilePath(path), this.#partBytes);
    try {
      for await (const chunk of chunks) {
        assertBytes(chunk);
        await this.#doing("written", () => write.write(chunk));
      }
      return `/${(await this.#doing("written", () => write.publish())).join("/")}`;
    } catch (error) {
      // What could not be removed does not hide why.
      await write.discard().catch(() => undefined);
      throw error;
    }
  }

  async stat(path: string): Promise<FileStat> {
    const names = parseFilePath(path);
    return this.#doing("read", async () => {
      return { byteCount: (await this.#get(names, 0, 1)).totalBytes };
    });
  }

  async read(path: string, start: number, end: number): Promise<Uint8Array> {
    const names = parseFilePath(path);
    return this.#doing("read", async () => {
      const first = Math.max(Math.trunc(start) || 0, 0);
      const last = Math.min(Math.trunc(end) || 0, Number.MAX_SAFE_INTEGER - BLOCK_BYTES);
      const range = wholeBlocks(first, Math.max(last, first + 1), Number.MAX_SAFE_INTEGER);
      const part = await this.#get(names, range.start, range.end);
      const record = await this.#recordOf(part, names);
      if (record && record.description.stat.byteCount !== part.totalBytes) {
        throw new S3IntegrityFailure("another size than was written");
      }
      if (record?.checksums) verifyBlocks(record.checksums, part.start, part.bytes);
      return part.bytes.slice(first - part.start, Math.max(last, first) - part.start);
    });
  }

  async delete(path: string): Promise<boolean> {
    const names = parseFilePath(path);
    return this.#doing("deleted", async () => {
      const key = this.#keys.file(names);
      const found = await this.#objects.getIfPresent(key, 0, 1);
      if (!found) return false;
      await this.#objects.delete(key);
      if (!recordOfMetadata(found.metadata)) {
        await this.#objects.delete(this.#keys.sidecar(names));
      }
      return true;
    });
  }

  async #get(names: readonly string[], start: number, end: number): Promise<S3ObjectPart> {
    const part = await this.#objects.getIfPresent(this.#keys.file(names), start, end);
    if (part) return part;
    throw new BlobStoreError(
      "not_found",
      "there is no file of that path: it was deleted, or written elsewhere; check the backend's bucket and prefix",
    );
  }

  /** `undefined` for a file that no backend has written. */
  async #recordOf(part: S3ObjectPart, names: readonly string[]): Promise<ObjectRecord | undefined> {
    const known = recordOfMetadata(part.metadata);
    if (known) return known;
    const sidecar = await this.#objects.getIfPresent(
      this.#keys.sidecar(names),
      0,
      Number.MAX_SAFE_INTEGER,
    );
    return sidecar && decodeRecord(sidecar.bytes);
  }

  async #doing<T>(done: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw toBlobStoreError(error, {
        what: `the file could not be ${done}`,
        bucket: this.#objects.bucket,
      });
    }
  }
}
