import { join } from "node:path";
import { ABANDONED_AFTER_MS, isTempFileName, removeIfPresent } from "./atomic-write.js";
import { PAYLOAD_EXTENSIONS, parseBlobFileName, SIDECAR_EXTENSION } from "./blob-layout.js";
import type { FileSystem } from "./file-system.js";
import { errnoOf } from "./fs-error.js";
import { RecentNames } from "./recent-names.js";

/**
 * Removes what processes that died have left in a directory of blobs: temp files, and sidecars
 * whose payload never came or has gone; each only if nobody has touched it for an hour.
 */
export async function removeAbandonedFiles(
  fileSystem: FileSystem,
  directory: string,
): Promise<void> {
  const suspects: string[] = [];
  const sidecars: string[] = [];
  const payloads = new Set<string>();
  for await (const { name } of await fileSystem.opendir(directory)) {
    if (isTempFileName(name)) suspects.push(name);
    const parsed = parseBlobFileName(name);
    if (parsed?.extension === SIDECAR_EXTENSION) sidecars.push(parsed.id);
    else if (parsed) payloads.add(parsed.id);
  }
  suspects.push(...sidecars.filter((id) => !payloads.has(id)).map((id) => id + SIDECAR_EXTENSION));
  await removeAbandoned(fileSystem, directory, suspects);
}

/** What this process has tidied: a program may make a store for each of its tasks, of one directory. */
const tidied = new WeakMap<FileSystem, RecentNames>();

/**
 * Begins {@link removeAbandonedFiles}, once in the life of a process: beside the work of the caller, who
 * does not wait for it. What cannot be removed now is tried at the next start.
 */
export function tidyOnce(fileSystem: FileSystem, directory: string): void {
  const names = tidied.get(fileSystem) ?? new RecentNames();
  tidied.set(fileSystem, names);
  if (names.isNew(directory)) removeAbandonedFiles(fileSystem, directory).catch(() => undefined);
}

/** Removes the temp files that processes that died have left in any directory, as above. */
export async function removeAbandonedTempFiles(
  fileSystem: FileSystem,
  directory: string,
): Promise<void> {
  const suspects: string[] = [];
  for await (const { name } of await fileSystem.opendir(directory)) {
    if (isTempFileName(name)) suspects.push(name);
  }
  await removeAbandoned(fileSystem, directory, suspects);
}

async function removeAbandoned(
  fileSystem: FileSystem,
  directory: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  // The time of the last file made here, by the clock that also dates the files: that of this
  // process may be another, or be stopped by a test.
  const nowMs = (await fileSystem.lstat(directory)).mtimeMs;
  for (const name of names) {
    if (await isAbandoned(fileSystem, directory, name, nowMs)) {
      await removeIfPresent(fileSystem, join(directory, name));
    }
  }
}

async function isAbandoned(
  fileSystem: FileSystem,
  directory: string,
  name: string,
  nowMs: number,
): Promise<boolean> {
  // The time of the last change to the entry: unlike mtime, a restored backup cannot bring an old one.
  const changedAtMs = await changeTime(fileSystem, join(directory, name));
  if (changedAtMs === undefined || nowMs - changedAtMs < ABANDONED_AFTER_MS) return false;
  if (isTempFileName(name)) return true;
  const id = name.slice(0, -SIDECAR_EXTENSION.length);
  for (const extension of PAYLOAD_EXTENSIONS) {
    if ((await changeTime(fileSystem, join(directory, id + extension))) !== undefined) return false;
  }
  return true;
}

async function changeTime(fileSystem: FileSystem, path: string): Promise<number | undefined> {
  try {
    return (await fileSystem.lstat(path)).ctimeMs;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
