import { dirname, join, resolve } from "node:path";
import { BlobStoreError } from "./blob-store-error.js";
import { type FileSystem, PRIVATE_DIRECTORY_MODE } from "./file-system.js";
import type { Durability } from "./fs-directory.js";
import { errnoOf } from "./fs-error.js";
import {
  assertOwnDirectory,
  giveOwnerAccess,
  ifPresent,
  syncNames,
  syncParents,
} from "./own-directory.js";

/**
 * Directories below a root. Each is used only if it belongs to the user of this process and is not a
 * symbolic link. (The root itself may be reached by one: that is the caller's choice of place.)
 */
export class DirectoryTree {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #durability: Durability;
  #lastPrepared: Promise<unknown> = Promise.resolve();

  constructor(fileSystem: FileSystem, root: string, durability: Durability) {
    this.#fileSystem = fileSystem;
    this.#root = resolve(root);
    this.#durability = durability;
  }

  /**
   * Where the directory is, if it is there.
   * @throws BlobStoreError `forbidden` if one on the way must not be used
   */
  async find(names: readonly string[]): Promise<string | undefined> {
    const root = await ifPresent(this.#fileSystem.stat(this.#root));
    if (!root) return undefined;
    assertOwnDirectory(root, this.#root);
    let path = this.#root;
    for (const name of names) {
      path = join(path, name);
      const stats = await ifPresent(this.#fileSystem.lstat(path));
      if (!stats) return undefined;
      assertOwnDirectory(stats, path);
    }
    return path;
  }

  /** Where the directory is, made if it was not there. @throws BlobStoreError `forbidden` as `find` */
  prepare(names: readonly string[]): Promise<string> {
    // One after the other: none sees a directory to which the owner has no access yet.
    const prepared = this.#lastPrepared.then(() => this.#prepare(names));
    this.#lastPrepared = prepared.catch(() => undefined);
    return prepared;
  }

  async #prepare(names: readonly string[]): Promise<string> {
    const found = await this.find(names);
    if (found !== undefined) return found;
    await this.#makeRoot();
    let path = this.#root;
    for (const name of names) {
      path = join(path, name);
      await this.#make(path);
    }
    const made = await this.find(names);
    if (made !== undefined) return made;
    throw new BlobStoreError(
      "unavailable",
      `${this.#root} was removed while it was being used: try again`,
    );
  }

  async #makeRoot(): Promise<void> {
    const options = { recursive: true, mode: PRIVATE_DIRECTORY_MODE };
    const firstNew = await this.#fileSystem.mkdir(this.#root, options);
    if (firstNew === undefined) return;
    await giveOwnerAccess(this.#fileSystem, this.#root);
    if (this.#durability === "fsync") {
      await syncParents(this.#fileSystem, this.#root, dirname(firstNew));
    }
  }

  async #make(path: string): Promise<void> {
    try {
      await this.#fileSystem.mkdir(path, { mode: PRIVATE_DIRECTORY_MODE });
      await giveOwnerAccess(this.#fileSystem, path);
    } catch (error) {
      // It was there, or another process was faster.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    if (this.#durability === "fsync") await syncNames(this.#fileSystem, dirname(path));
  }
}
