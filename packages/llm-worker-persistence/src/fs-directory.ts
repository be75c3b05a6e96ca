import { dirname, join, resolve, sep } from "node:path";
import { AtomicFile } from "./atomic-write.js";
import { BlobStoreError } from "./blob-store-error.js";
import { type FileSystem, PRIVATE_DIRECTORY_MODE } from "./file-system.js";
import { errnoOf } from "./fs-error.js";
import {
  assertOwnDirectory,
  giveOwnerAccess,
  ifPresent,
  syncNames,
  syncParents,
} from "./own-directory.js";

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

  /** Where the entry with this name is. */
  pathOf(name: string): string {
    // Nothing in it is to be normalised, which `join` would look for.
    return `${this.path}${sep}${name}`;
  }

  /** Whether the directory is there. @throws BlobStoreError `forbidden` if it must not be used */
  async exists(): Promise<boolean> {
    if (!this.#rootIsOurs) {
      const root = await ifPresent(this.#fileSystem.stat(this.#root));
      if (!root) return false;
      assertOwnDirectory(root, this.#root);
      this.#rootIsOurs = true;
    }
    const blobs = await ifPresent(this.#fileSystem.lstat(this.path));
    if (!blobs) return false;
    assertOwnDirectory(blobs, this.path);
    return true;
  }

  /** Makes sure that the directory is there. @throws BlobStoreError `forbidden` as `exists` */
  async prepare(): Promise<void> {
    // Many writers at once need not look each for itself.
    this.#looking ??= this.#look();
    const isThere = await this.#looking;
    if (isThere && this.#isPrepared) return;
    this.#preparing ??= this.#prepare(isThere);
    await this.#preparing;
  }

  /** Begins a file that is to appear in the directory. */
  async createFile(): Promise<AtomicFile> {
    const file = await AtomicFile.create(this.#fileSystem, this.path);
    // Almost no umask does, so this is looked at once and not for each file.
    if (this.#umaskTakesFromOwner !== false) await this.#giveOwnerAccess(file);
    return file;
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
        return syncNames(this.#fileSystem, this.path);
      });
      this.#lastSync = this.#nextSync.catch(() => undefined);
    }
    return this.#nextSync;
  }

  async #look(): Promise<boolean> {
    try {
      return await this.exists();
    } finally {
      this.#looking = undefined;
    }
  }

  async #giveOwnerAccess(file: AtomicFile): Promise<void> {
    try {
      this.#umaskTakesFromOwner = await file.giveOwnerAccess();
    } catch (error) {
      await file.discard().catch(() => undefined);
      throw error;
    }
  }

  async #prepare(isThere: boolean): Promise<void> {
    try {
      const firstNew = isThere ? undefined : await this.#create();
      if (this.durability === "fsync") {
        // Also if it was there: whoever made it may not have come to this yet.
        await syncNames(this.#fileSystem, this.#root);
        if (firstNew !== undefined)
          await syncParents(this.#fileSystem, this.#root, dirname(firstNew));
      }
      this.#isPrepared = true;
    } finally {
      this.#preparing = undefined;
    }
  }

  /** Makes what is not there; resolves to the first new directory on the way to the root. */
  async #create(): Promise<string | undefined> {
    const firstNew = await this.#fileSystem.mkdir(this.#root, {
      recursive: true,
      mode: PRIVATE_DIRECTORY_MODE,
    });
    if (firstNew !== undefined) await giveOwnerAccess(this.#fileSystem, this.#root);
    await this.exists();
    try {
      await this.#fileSystem.mkdir(this.path, { mode: PRIVATE_DIRECTORY_MODE });
      await giveOwnerAccess(this.#fileSystem, this.path);
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
    return firstNew;
  }
}
