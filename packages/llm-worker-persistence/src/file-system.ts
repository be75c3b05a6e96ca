import type { Stats } from "node:fs";
import { fs } from "./node-fs.js";
import { openFile, type OpenFile, promised } from "./open-file.js";

/** What the file store needs of a file system, in the form of `node:fs/promises`, which is one. */
export interface FileSystem {
  chmod(path: string, mode: number): Promise<void>;
  lstat(path: string): Promise<Stats>;
  mkdir(
    path: string,
    options: { readonly recursive?: boolean; readonly mode: number },
  ): Promise<string | undefined>;
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  opendir(path: string): Promise<AsyncIterable<{ readonly name: string }>>;
  rename(from: string, to: string): Promise<void>;
  stat(path: string): Promise<Stats>;
  unlink(path: string): Promise<void>;
}

const { chmod, mkdir, opendir, unlink } = fs.promises;

/** The file system of this process. What each blob needs goes through callbacks, see {@link openFile}. */
export const nodeFileSystem: FileSystem = {
  chmod,
  mkdir,
  opendir,
  unlink,
  open: openFile,
  lstat: (path) => promised((done) => fs.lstat(path, done)),
  stat: (path) => promised((done) => fs.stat(path, done)),
  rename: (from, to) => promised((done) => fs.rename(from, to, done)),
};

/** Only the owner reads and writes. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_DIRECTORY_MODE = 0o700;

// The flags that a platform lacks guard against what it lacks too.
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0;
// Without it, opening a pipe that someone put in the place of a file would wait for ever.
const NO_WAIT = fs.constants.O_NONBLOCK ?? 0;

/** Opens a file that is there; a symbolic link is not followed. */
export const OPEN_EXISTING: number = fs.constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
/** Makes a file that must not be there yet. */
export const CREATE_NEW: number =
  fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | NO_FOLLOW;
/** Opens a directory, to make the names in it durable. */
export const OPEN_DIRECTORY: number = fs.constants.O_RDONLY | (fs.constants.O_DIRECTORY ?? 0);
