import { constants, isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { contentOf } from "llm-worker/blob";
import type {
  BlobDescription,
  BlobEntry,
  BlobId,
  BlobReader,
  BlobStat,
  BlobWriter,
  BlobWriterOptions,
  Content,
} from "llm-worker/blob";
import { removeIfPresent } from "./atomic-write.js";
import { assertBlobId } from "./blob-id.js";
import { PAYLOAD_EXTENSIONS, parseBlobFileName, SIDECAR_EXTENSION } from "./blob-layout.js";
import { writeContent } from "./blob-sink.js";
import type { CompleteBlobStore } from "./blob-store.js";
import { blobCorrupt, blobNotFound, BlobStoreError } from "./blob-store-error.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";
import { type FileSystem, nodeFileSystem } from "./file-system.js";
import { tidyOnce } from "./fs-abandoned.js";
import { FsBlobReader } from "./fs-blob-reader.js";
import { FsBlobSink } from "./fs-blob-sink.js";
import { FsDescriptions } from "./fs-description.js";
import { type Durability, FsDirectory } from "./fs-directory.js";
import { errnoOf, toReadError } from "./fs-error.js";
import { FsPayload } from "./fs-payload.js";
import { SinkWriter } from "./sink-writer.js";

/** How many file operations one store has under way at a time. */
export const MAX_CONCURRENT_OPERATIONS = 16;

/** Options of {@link FsBlobStore}. */
export interface FsBlobStoreOptions {
  /**
   * `fsync` (default): a blob whose `store` or `commit` has resolved survives a loss of power.
   * `none`: it survives the end of the process only; faster.
   */
  readonly durability?: Durability | undefined;
  /** In place of that of this process, for tests. */
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Keeps blobs as files: `DIRECTORY/blobs/{id}.txt`, `.json` or `.bin`, byte-exact and readable
 * with ordinary tools; `{id}.index` beside it only where there is more to know than the payload
 * tells. Made at the first write, directories 0700 and files 0600 whatever the umask. Any number
 * of stores and processes may use one directory at the same time.
 */
export class FsBlobStore implements CompleteBlobStore {
  readonly #fileSystem: FileSystem;
  readonly #directory: FsDirectory;
  readonly #descriptions: FsDescriptions;
  readonly #limit = new ConcurrencyLimit(MAX_CONCURRENT_OPERATIONS);
  #isTidied = false;

  /** @param directory where `blobs/` is or will be; nothing is touched before the first call */
  constructor(directory: string, options: FsBlobStoreOptions = {}) {
    this.#fileSystem = options.fileSystem ?? nodeFileSystem;
    this.#directory = new FsDirectory(this.#fileSystem, directory, options.durability ?? "fsync");
    this.#descriptions = new FsDescriptions(this.#fileSystem, this.#directory);
  }

  store(content: Content): Promise<BlobId> {
    return this.#limit.run(async () => writeContent(await this.#openSink(), content));
  }

  load(id: BlobId): Promise<Content> {
    return this.#withPayload(id, async (payload, { stat }) => {
      if (payload.byteCount > constants.MAX_LENGTH) throw tooLargeToLoad(payload);
      const bytes = await payload.read(0, payload.byteCount);
      if (stat.kind !== "binary" && stat.validUtf8 !== false && !isUtf8(bytes)) {
        throw blobCorrupt(id, "its payload was valid UTF-8 and is no longer");
      }
      return contentOf(stat, bytes);
    });
  }

  exists(id: BlobId): Promise<boolean> {
    return this.#reading(id, async () => {
      if (!(await this.#directory.exists())) return false;
      for (const extension of PAYLOAD_EXTENSIONS) {
        if (await this.#lookAt(id + extension)) return true;
      }
      return false;
    });
  }

  stat(id: BlobId): Promise<BlobStat> {
    return this.#withPayload(id, async (_, { stat }) => stat);
  }

  openReader(id: BlobId): Promise<BlobReader> {
    return this.#reading(id, async () => {
      const [payload, description] = await this.#openDescribed(id);
      return new FsBlobReader(payload, description, this.#limit);
    });
  }

  async openWriter(options: BlobWriterOptions = {}): Promise<BlobWriter> {
    options.signal?.throwIfAborted();
    const sink = await this.#limit.run(() => this.#openSink());
    sink.keepFresh();
    const writer = new SinkWriter(sink, options, this.#limit);
    if (options.signal?.aborted) await writer.abort();
    options.signal?.throwIfAborted();
    return writer;
  }

  delete(id: BlobId): Promise<boolean> {
    return this.#reading(id, async () => {
      if (!(await this.#directory.exists())) return false;
      let deleted = false;
      this.#descriptions.forget(id);
      // The payload first, so that a payload that can be seen is complete.
      for (const extension of [...PAYLOAD_EXTENSIONS, SIDECAR_EXTENSION]) {
        const removed = await removeIfPresent(
          this.#fileSystem,
          this.#directory.pathOf(id + extension),
        );
        if (extension !== SIDECAR_EXTENSION) deleted ||= removed;
      }
      return deleted;
    });
  }

  async *list(): AsyncIterable<BlobEntry> {
    const names = await this.#limit.run(() => this.#payloadNames());
    for (let start = 0; start < names.length; start += MAX_CONCURRENT_OPERATIONS) {
      const batch = names.slice(start, start + MAX_CONCURRENT_OPERATIONS);
      const entries = await Promise.all(
        batch.map(({ id, name }) =>
          this.#reading(id, async () => {
            const stats = await this.#lookAt(name);
            return stats && { id, byteCount: stats.size, storedAtMs: Math.floor(stats.mtimeMs) };
          }),
        ),
      );
      yield* entries.filter((entry) => entry !== undefined);
    }
  }

  async #payloadNames(): Promise<{ id: BlobId; name: string }[]> {
    const names = new Map<BlobId, string>();
    try {
      if (!(await this.#directory.exists())) return [];
      for await (const { name } of await this.#fileSystem.opendir(this.#directory.path)) {
        const parsed = parseBlobFileName(name);
        if (parsed && parsed.extension !== SIDECAR_EXTENSION) names.set(parsed.id, name);
      }
    } catch (error) {
      throw toReadError(error, undefined);
    }
    return [...names]
      .map(([id, name]) => ({ id, name }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  async #openSink(): Promise<FsBlobSink> {
    const sink = await FsBlobSink.open(this.#fileSystem, this.#directory);
    if (!this.#isTidied) {
      this.#isTidied = true;
      tidyOnce(this.#fileSystem, this.#directory.path);
    }
    return sink;
  }

  /** All that is needed at the same time: the first answer of a process waits for few of its calls. */
  async #openDescribed(id: BlobId): Promise<[FsPayload, BlobDescription]> {
    const descriptions = this.#descriptions;
    const likely = descriptions.likelyExtension(id);
    // The one that takes the most calls first.
    const [sidecar, opened, looked] = await Promise.allSettled([
      descriptions.readSidecar(id),
      FsPayload.open(this.#fileSystem, this.#directory.path, id, likely),
      this.#directory.exists(),
    ]);
    try {
      if (!valueOf(looked)) throw blobNotFound(id);
      const payload = valueOf(opened);
      return [payload, await descriptions.describe(payload, valueOf(sidecar))];
    } catch (error) {
      if (opened.status === "fulfilled") await opened.value.close();
      throw error;
    }
  }

  #withPayload<T>(
    id: BlobId,
    task: (payload: FsPayload, description: BlobDescription) => Promise<T>,
  ): Promise<T> {
    return this.#reading(id, async () => {
      const [payload, description] = await this.#openDescribed(id);
      try {
        return await task(payload, description);
      } finally {
        await payload.close();
      }
    });
  }

  async #reading<T>(id: BlobId, task: () => Promise<T>): Promise<T> {
    assertBlobId(id);
    try {
      return await this.#limit.run(task);
    } catch (error) {
      throw toReadError(error, id);
    }
  }

  async #lookAt(name: string): Promise<Stats | undefined> {
    try {
      const stats = await this.#fileSystem.lstat(this.#directory.pathOf(name));
      return stats.isFile() ? stats : undefined;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

function tooLargeToLoad({ id, byteCount }: FsPayload): BlobStoreError {
  return new BlobStoreError(
    "unavailable",
    `blob ${id} is too large to be in memory as a whole (${byteCount} bytes): read parts of it with openReader()`,
    { blobId: id },
  );
}
