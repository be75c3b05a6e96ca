import { existsSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";

const OPEN_FILES = "/proc/self/fd";

/** Whether this platform tells which files a process has open. */
export const canListOpenFiles: boolean = existsSync(OPEN_FILES);

/** How many files below `directory` this process has open; 0 where the platform does not tell. */
export async function openFileCount(directory: string): Promise<number> {
  if (!canListOpenFiles) return 0;
  const targets = await Promise.all(
    (await readdir(OPEN_FILES)).map((fd) => readlink(`${OPEN_FILES}/${fd}`).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith(directory)).length;
}
