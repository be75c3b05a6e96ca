import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { BlobStoreError } from "./blob-store-error.js";
import { type FileSystem, OPEN_DIRECTORY, PRIVATE_DIRECTORY_MODE } from "./file-system.js";
import { errnoOf } from "./fs-error.js";

/**
 * Refuses what is no directory of the user of this process.
 *
 * @param stats of `lstat` where a symbolic link is to be refused too
 * @throws BlobStoreError `forbidden`
 */
export function assertOwnDirectory(stats: Stats, path: string): void {
  if (!stats.isDirectory()) {
    throw new BlobStoreError(
      "forbidden",
      `${path} is not a directory, or is a symbolic link: remove it, or choose another place`,
    );
  }
  // Undefined where users have no numbers (Windows).
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) {
    throw new BlobStoreError(
      "forbidden",
      `${path} belongs to another user (${stats.uid}, this process is ${user}): choose another place, or change its owner`,
    );
  }
}

/**
 * Gives the owner of a new directory the access that the umask took. It can only take rights away;
 * from the owner it does so only if it is a strange one.
 */
export async function giveOwnerAccess(fileSystem: FileSystem, path: string): Promise<void> {
  const { mode } = await fileSystem.lstat(path);
  if ((mode & PRIVATE_DIRECTORY_MODE) !== PRIVATE_DIRECTORY_MODE) {
    await fileSystem.chmod(path, PRIVATE_DIRECTORY_MODE);
  }
}

/** Makes the names in a directory durable. */
export async function syncNames(fileSystem: FileSystem, path: string): Promise<void> {
  // Windows opens no directories; there a rename is as durable as it gets.
  if (process.platform === "win32") return;
  const handle = await fileSystem.open(path, OPEN_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names of the directories durable that lead from `top` to `path`. */
export async function syncParents(
  fileSystem: FileSystem,
  path: string,
  top: string,
): Promise<void> {
  let parent = path;
  while (parent !== top && parent !== dirname(parent)) {
    parent = dirname(parent);
    // Not ours: a directory may be passed through without the right to open it.
    await syncNames(fileSystem, parent).catch(() => undefined);
  }
}

/** What was looked for, or `undefined` if there is nothing. */
export async function ifPresent<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
