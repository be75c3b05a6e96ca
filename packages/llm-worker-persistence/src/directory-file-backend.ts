import { join } from "node:path";
import type { FileBackend, FileStat } from "llm-worker";
import { AtomicFile, removeIfPresent } from "./atomic-write.js";
import { BlobStoreError } from "./blob-store-error.js";
import { clampRange } from "./byte-range.js";
import { assertBytes } from "./content-pieces.js";
import { DirectoryTree } from "./directory-tree.js";
import { nameBeside, parseFilePath } from "./file-path.js";
import {
  CREATE_NEW,
  type FileSystem,
  nodeFileSystem,
  OPEN_EXISTING,
  PRIVATE_FILE_MODE,
} from "./file-system.js";
import { removeAbandonedTempFiles } from "./fs-abandoned.js";
import type { Durability } from "./fs-directory.js";
import { errnoOf, toReadError, toWriteError } from "./fs-error.js";
import { type OpenFile, readAt } from "./open-file.js";
import { syncNames } from "./own-directory.js";
import { RecentNames } from "./recent-names.js";

/** Options of {@link DirectoryFileBackend}. */
export interface DirectoryFileBackendOptions {
  /**
   * `fsync` (default): a file whose `write` has resolved survives a loss of power. `none`: it survives
   * the end of the process only; faster.
   */
  readonly durability?: Durability | undefined;
  /** In place of that of this process, for tests. */
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Files of `offloadToFile` in a directory: `/large_tool_result/call_1` is
 * `DIRECTORY/large_tool_result/call_1`, byte-exact and readable with ordinary tools. Directories are
 * 0700 and files 0600 whatever the umask. No path leads out of the directory, and symbolic links in it
 * are not followed. Any number of backends and processes may use one directory at the same time.
 *
 * Errors are `BlobStoreError`s.
 */
export class DirectoryFileBackend implements FileBackend {
  readonly #fileSystem: FileSystem;
  readonly #durability: Durability;
  readonly #tree: DirectoryTree;
  readonly #tidied = new RecentNames();

  /** @param directory nothing is touched before the first call */
  constructor(directory: string, options: DirectoryFileBackendOptions = {}) {
    this.#fileSystem = options.fileSystem ?? nodeFileSystem;
    this.#durability = options.durability ?? "fsync";
    this.#tree = new DirectoryTree(this.#fileSystem, directory, this.#durability);
  }

  /** If `path` is taken, the file is `NAME-xxxxxxxx` beside it, in front of the extension if there is one. */
  async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const names = parseFilePath(path);
    const parents = names.slice(0, -1);
    const { directory, file } = await writing(() => this.#begin(parents));
    try {
      for await (const chunk of chunks) {
        assertBytes(chunk);
        await writing(() => file.write(chunk));
      }
      const name = await writing(() => this.#publish(file, directory, names.at(-1) ?? ""));
      return `/${[...parents, name].join("/")}`;
    } catch (error) {
      // What could not be removed does not hide why; a later write removes it.
      await file.discard().catch(() => undefined);
      throw error;
    }
  }

  stat(path: string): Promise<FileStat> {
    return this.#withFile(path, async (_handle, byteCount) => ({ byteCount }));
  }

  read(path: string, start: number, end: number): Promise<Uint8Array> {
    return this.#withFile(path, async (handle, byteCount) => {
      const range = clampRange(start, end, byteCount);
      const bytes = new Uint8Array(range.end - range.start);
      if ((await readAt(handle, bytes, range.start)) < bytes.length) {
        throw new BlobStoreError("corrupt", "the file became shorter meanwhile");
      }
      return bytes;
    });
  }

  async delete(path: string): Promise<boolean> {
    const names = parseFilePath(path);
    try {
      const directory = await this.#tree.find(names.slice(0, -1));
      if (directory === undefined) return false;
      return await removeIfPresent(this.#fileSystem, join(directory, names.at(-1) ?? ""));
    } catch (error) {
      throw toReadError(error, undefined);
    }
  }

  async #begin(parents: readonly string[]): Promise<{ directory: string; file: AtomicFile }> {
    const directory = await this.#tree.prepare(parents);
    const file = await AtomicFile.create(this.#fileSystem, directory);
    file.keepFresh();
    try {
      await file.giveOwnerAccess();
    } catch (error) {
      await file.discard().catch(() => undefined);
      throw error;
    }
    if (this.#tidied.isNew(directory)) {
      // Beside the work, not before it. What cannot be removed now is tried at the next start.
      removeAbandonedTempFiles(this.#fileSystem, directory).catch(() => undefined);
    }
    return { directory, file };
  }

  async #publish(file: AtomicFile, directory: string, wanted: string): Promise<string> {
    await file.seal(this.#durability);
    const name = await this.#claim(directory, wanted);
    const path = join(directory, name);
    try {
      await file.publish(path);
      if (this.#durability === "fsync") await syncNames(this.#fileSystem, directory);
      return name;
    } catch (error) {
      await removeIfPresent(this.#fileSystem, path).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Takes a free name by an empty file, which the rename then replaces: it would replace any other file
   * as well. Hard links, which would not, are missing on some file systems.
   */
  async #claim(directory: string, wanted: string): Promise<string> {
    for (let name = wanted; ; name = nameBeside(wanted)) {
      try {
        const path = join(directory, name);
        const handle = await this.#fileSystem.open(path, CREATE_NEW, PRIVATE_FILE_MODE);
        // Nothing was written that a close could report as lost.
        await handle.close().catch(() => undefined);
        return name;
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") throw error;
      }
    }
  }

  async #withFile<T>(
    path: string,
    use: (handle: OpenFile, byteCount: number) => Promise<T>,
  ): Promise<T> {
    const names = parseFilePath(path);
    try {
      const directory = await this.#tree.find(names.slice(0, -1));
      if (directory === undefined) throw fileNotFound();
      const handle = await this.#fileSystem.open(
        join(directory, names.at(-1) ?? ""),
        OPEN_EXISTING,
      );
      try {
        const stats = await handle.stat();
        if (!stats.isFile())
          throw new BlobStoreError("corrupt", "there is no regular file at the path");
        return await use(handle, stats.size);
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw errnoOf(error) === "ENOENT" ? fileNotFound(error) : toReadError(error, undefined);
    }
  }
}

async function writing<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw toWriteError(error, "file");
  }
}

function fileNotFound(cause?: unknown): BlobStoreError {
  return new BlobStoreError(
    "not_found",
    "there is no file of that path: it was deleted, or written elsewhere; check the backend's directory",
    cause === undefined ? {} : { cause },
  );
}
