import type { Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AtomicFile } from "./atomic-write.js";
import { BlobStoreError } from "./blob-store-error.js";
import { type FileSystem, OPEN_DIRECTORY, PRIVATE_DIRECTORY_MODE } from "./file-system.js";
import { errnoOf } from "./fs-error.js";

/** How much a finished write survives: a loss of power, or only the end of the process. */
export type Durability = "fsync" | "none";

/**
 * The directory that holds the blobs, `ROOT/blobs`. It is used only if it and the root belong to
 * the user of this process and it is not a symbolic link. (The root itself may be reached by one:
 * that is the caller's choice of place.)
 */
export class FsDirectory {
  readonly path: string;
  readonly durability: Durability;
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  // Undefined where users have no numbers (Windows).
  readonly #user = process.geteuid?.();
  #rootIsOurs = false;
  #isPrepared = false;
  #umaskTakesFromOwner: boolean | undefined;
  #looking: Promise<boolean> | undefined;
  #preparing: Promise<void> | undefined;
  #lastSync: Promise<unknown> = Promise.resolve();
  #nextSync: Promise<void> | undefined;

  constructor(fileSystem: FileSystem, root: string, durability: Durability) {
    this.#fileSystem = fileSystem;
    this.#root = resolve(root);
    this.path = join(this.#root, "blobs");
    this.durability = durability;
  }

  /** Whether the directory is there. @throws BlobStoreError `forbidden` if it must not be used */
  async exists(): Promise<boolean> {
    if (!this.#rootIsOurs) {
      const root = await ifPresent(this.#fileSystem.stat(this.#root));
      if (!root) return false;
      this.#assertOwn(root, "the store's directory");
      this.#rootIsOurs = true;
    }
    const blobs = await ifPresent(this.#fileSystem.lstat(this.path));
    if (!blobs) return false;
    this.#assertOwn(blobs, "the blobs directory in the store's directory");
    return true;
  }

  /** Makes sure that the directory is there. @throws BlobStoreError `forbidden` as `exists` */
  async prepare(): Promise<void> {
    // Many writers at once need not look each for itself.
    this.#looking ??= this.exists().finally(() => {
      this.#looking = undefined;
    });
    if ((await this.#looking) && this.#isPrepared) return;
    this.#preparing ??= this.#create().finally(() => {
      this.#preparing = undefined;
    });
    await this.#preparing;
  }

  /** Begins a file that is to appear in the directory. */
  async createFile(): Promise<AtomicFile> {
    const file = await AtomicFile.create(this.#fileSystem, this.path);
    try {
      // Almost no umask does, so this is looked at once and not for each file.
      if (this.#umaskTakesFromOwner !== false) {
        this.#umaskTakesFromOwner = await file.giveOwnerAccess();
      }
      return file;
    } catch (error) {
      await file.discard().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Makes the names in the directory durable. Calls that come while one sync is running share
   * the next one.
   */
  sync(): Promise<void> {
    if (this.durability === "none") return Promise.resolve();
    if (!this.#nextSync) {
      this.#nextSync = this.#lastSync.then(() => {
        this.#nextSync = undefined;
        return this.#syncNames(this.path);
      });
      this.#lastSync = this.#nextSync.catch(() => undefined);
    }
    return this.#nextSync;
  }

  #assertOwn(stats: Stats, what: string): void {
    if (!stats.isDirectory()) {
      throw new BlobStoreError(
        "forbidden",
        `${what} is not a directory, or is a symbolic link: remove it, or choose another place`,
      );
    }
    if (this.#user !== undefined && stats.uid !== this.#user) {
      throw new BlobStoreError(
        "forbidden",
        `${what} belongs to another user (${stats.uid}, this process is ${this.#user}): choose another place, or change its owner`,
      );
    }
  }

  async #create(): Promise<void> {
    const firstNew = await this.#fileSystem.mkdir(this.#root, {
      recursive: true,
      mode: PRIVATE_DIRECTORY_MODE,
    });
    if (firstNew !== undefined) await this.#giveOwnerAccess(this.#root);
    await this.exists();
    try {
      await this.#fileSystem.mkdir(this.path, { mode: PRIVATE_DIRECTORY_MODE });
      await this.#giveOwnerAccess(this.path);
    } catch (error) {
      // Another process, or another store of this one, was faster.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    if (!(await this.exists())) {
      throw new BlobStoreError(
        "unavailable",
        "the store's directory was removed while it was being made: try again",
      );
    }
    if (this.durability === "fsync") {
      // Also if it was there: whoever made it may not have come to this yet.
      await this.#syncNames(this.#root);
      if (firstNew !== undefined) await this.#syncParents(dirname(firstNew));
    }
    this.#isPrepared = true;
  }

  // The umask can only take rights away; from the owner it does so only if it is a strange one.
  async #giveOwnerAccess(path: string): Promise<void> {
    const { mode } = await this.#fileSystem.lstat(path);
    if ((mode & PRIVATE_DIRECTORY_MODE) !== PRIVATE_DIRECTORY_MODE) {
      await this.#fileSystem.chmod(path, PRIVATE_DIRECTORY_MODE);
    }
  }

  async #syncParents(top: string): Promise<void> {
    let path = this.#root;
    while (path !== top && path !== dirname(path)) {
      path = dirname(path);
      // Not ours: a directory may be passed through without the right to open it.
      await this.#syncNames(path).catch(() => undefined);
    }
  }

  async #syncNames(path: string): Promise<void> {
    // Windows opens no directories; there a rename is as durable as it gets.
    if (process.platform === "win32") return;
    const handle = await this.#fileSystem.open(path, OPEN_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function ifPresent<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
