import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { describeFileError } from "../demo-error.js";

/** Something inside that may be read. */
export interface Place {
  /** Where it is, symbolic links resolved. */
  readonly realPath: string;
  /** What the model calls it: relative, with `/`; `.` for the root. */
  readonly name: string;
  readonly isDirectory: boolean;
}

/** One row of a folder. `byteCount` is there for files. */
export interface Entry {
  readonly name: string;
  readonly type: "file" | "directory" | "link" | "other";
  readonly byteCount?: number | undefined;
}

/** The part of the file system that the model may see. */
export interface Confined {
  /** @throws PathError if the path leads out, or nowhere */
  locate(path: string): Promise<Place>;
  /** Sorted by name. @throws PathError if it is not a directory or cannot be read */
  entries(directory: Place): Promise<readonly Entry[]>;
}

/** A path that cannot be used; the message is for the model. */
export class PathError extends Error {
  /** Without the path. */
  readonly problem: string;
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${JSON.stringify(path)}: ${problem}`, options);
    this.name = "PathError";
    this.problem = problem;
  }
}

const OUTSIDE = "is outside of the folder that the tools can see; use a path relative to it";

/**
 * Everything in a directory, but nothing that a symbolic link reaches outside of it.
 *
 * @throws PathError if there is no such directory
 */
export async function confineToDirectory(directory: string): Promise<Confined> {
  const root = await realPathOf(directory, directory);
  return {
    async locate(path) {
      const inside = relative(
        root,
        isAbsolute(path) ? relativeTo(directory, root, path) : resolve(root, path),
      );
      if (leadsOut(inside)) throw new PathError(path, OUTSIDE);
      const real = await realPathOf(path, join(root, inside));
      if (leadsOut(relative(root, real))) {
        throw new PathError(path, "is a symbolic link to a place outside of the folder");
      }
      return {
        realPath: real,
        name: toName(inside),
        isDirectory: (await stat(real)).isDirectory(),
      };
    },
    entries: (place) => readEntries(place),
  };
}

/**
 * One file, as if it were alone in its directory.
 *
 * @throws PathError if there is no such file
 */
export async function confineToFile(file: string): Promise<Confined> {
  const path = resolve(file);
  const realPath = await realPathOf(file, path);
  const isDirectory = (await stat(realPath)).isDirectory();
  const place = { realPath, name: basename(path), isDirectory };
  const root = { realPath: dirname(path), name: ".", isDirectory: true };
  return {
    locate(asked) {
      if (resolve(root.realPath, asked) === path) return Promise.resolve(place);
      if (resolve(root.realPath, asked) === root.realPath) return Promise.resolve(root);
      const problem = `the tools can see only ${JSON.stringify(place.name)}`;
      return Promise.reject(new PathError(asked, problem));
    },
    async entries(directory) {
      if (!directory.isDirectory) throw new PathError(directory.name, "is not a directory");
      return [{ name: place.name, type: "file", byteCount: (await stat(place.realPath)).size }];
    },
  };
}

/** The size of a file in bytes. @throws PathError if it is not a file that can be read */
export async function readableSize(place: Place): Promise<number> {
  const { handle, byteCount } = await openFile(place);
  await handle.close();
  return byteCount;
}

/**
 * The bytes of a file as they are read; opens it at the first and closes it after the last. Of a
 * file that grows it gives what was there when it was opened: the growth may come of the reading.
 *
 * @throws PathError if it cannot be read
 */
export async function* readChunks(place: Place, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { handle, byteCount } = await openFile(place);
  try {
    for (let left = byteCount; left > 0;) {
      signal.throwIfAborted();
      const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length);
      if (bytesRead === 0) return;
      left -= bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

const CHUNK_BYTES = 131_072;
/** Does not wait for the other end of a pipe, and follows no link put there since. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

interface OpenFile {
  readonly handle: FileHandle;
  readonly byteCount: number;
}

async function openFile(place: Place): Promise<OpenFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(place.realPath, READ_ONLY);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new PathError(place.name, "is a directory, not a file");
    if (!stats.isFile()) throw new PathError(place.name, "is not a regular file");
    return { handle, byteCount: stats.size };
  } catch (error) {
    await handle?.close();
    throw toPathError(place.name, error);
  }
}

async function readEntries(place: Place): Promise<readonly Entry[]> {
  try {
    const rows = await readdir(place.realPath, { withFileTypes: true });
    const sorted = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return await Promise.all(sorted.map((row) => toEntry(place, row)));
  } catch (error) {
    throw toPathError(place.name, error);
  }
}

async function toEntry(place: Place, row: Dirent): Promise<Entry> {
  const { name } = row;
  if (row.isDirectory()) return { name, type: "directory" };
  if (row.isSymbolicLink()) return { name, type: "link" };
  if (!row.isFile()) return { name, type: "other" };
  // A file may be gone since; its name was there.
  const stats = await lstat(join(place.realPath, name)).catch(() => undefined);
  return { name, type: "file", byteCount: stats?.size };
}

/** An absolute path may name the root as the user wrote it, before links were resolved. */
function relativeTo(directory: string, root: string, path: string): string {
  const inside = relative(resolve(directory), path);
  return leadsOut(inside) ? path : join(root, inside);
}

function leadsOut(inside: string): boolean {
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
}

async function realPathOf(asked: string, path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw toPathError(asked, error);
  }
}

function toPathError(path: string, error: unknown): PathError {
  if (error instanceof PathError) return error;
  return new PathError(path, describeFileError(error), { cause: error });
}

function toName(inside: string): string {
  return inside === "" ? "." : inside.split(sep).join("/");
}
