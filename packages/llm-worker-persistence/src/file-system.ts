import * as fs from "node:fs/promises";

/** What the file store needs of `node:fs/promises`. */
export type FileSystem = Pick<
  typeof fs,
  "chmod" | "lstat" | "mkdir" | "open" | "opendir" | "rename" | "stat" | "unlink"
>;

/** The file system of this process. */
export const nodeFileSystem: FileSystem = fs;

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
