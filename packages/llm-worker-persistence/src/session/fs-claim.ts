import * as fs from "node:fs/promises";
import { join } from "node:path";
import { createTempFileName, removeIfPresent } from "../atomic-write.js";
import { CREATE_NEW, type FileSystem, nodeFileSystem, PRIVATE_FILE_MODE } from "../file-system.js";
import type { Durability } from "../fs-directory.js";
import { errnoOf } from "../fs-error.js";
import { readFileIfPresent } from "../fs-payload.js";
import type { OpenFile } from "../open-file.js";
import { syncNames } from "../own-directory.js";
import { findEnd, giveOwnerAccess, LOG_FILE, readRange, writeRange } from "./fs-log-file.js";

/** What the session store needs of a file system, in the form of `node:fs/promises`. */
export interface SessionFileSystem extends FileSystem {
  link(existing: string, path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
}

/** The file system of this process. */
export const nodeSessionFileSystem: SessionFileSystem = {
  ...nodeFileSystem,
  link: fs.link,
  rmdir: fs.rmdir,
};

/**
 * An append that is under way, or was when its process died: the bytes and, in the name of the file,
 * the place in the log that they belong to. A claim appears whole, and there is one at most for a
 * place, so of two writers one wins. Whoever finds a claim may carry it out: the same bytes go to the
 * same place, however often.
 */
export interface Claim {
  readonly start: number;
  readonly bytes: Uint8Array;
}

const CLAIM_NAME = /^(\d{1,16})\.append$/;
const LINE_FEED = 0x0a;
const OPEN_LOG_TO_WRITE = fs.constants.O_RDWR | (fs.constants.O_NOFOLLOW ?? 0);

/** The claims of a session directory, whether they can be carried out or not. */
export async function findClaims(
  fileSystem: SessionFileSystem,
  directory: string,
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for await (const { name } of await fileSystem.opendir(directory)) {
    const start = CLAIM_NAME.exec(name)?.[1];
    if (start === undefined) continue;
    const bytes = await readFileIfPresent(fileSystem, join(directory, name));
    if (bytes !== undefined) claims.push({ start: Number(start), bytes });
  }
  return claims;
}

/**
 * Whether a claim is that of the next append: the log ends where it starts, except for what has been
 * carried out of it and for a torn rest. Another claim came too late, or is torn itself.
 */
export async function isOpenClaim(
  { start, bytes }: Claim,
  log: OpenFile | undefined,
): Promise<boolean> {
  if (bytes.at(-1) !== LINE_FEED) return false;
  if (log === undefined) return start === 0;
  const { wholeByteCount, byteCount } = await findEnd(log);
  if (wholeByteCount < start || byteCount > start + bytes.length) return false;
  const there = await readRange(log, start, byteCount);
  const firstOther = there.findIndex((byte, i) => byte !== bytes[i]);
  return firstOther < 0 || !there.subarray(firstOther).includes(LINE_FEED);
}

/** Whether all of a claim is in the log. */
export async function isCarriedOut({ start, bytes }: Claim, log: OpenFile): Promise<boolean> {
  return (await readRange(log, start, start + bytes.length)).equals(bytes);
}

/** Takes the place; resolves to whether it was free. */
export async function makeClaim(
  fileSystem: SessionFileSystem,
  directory: string,
  { start, bytes }: Claim,
): Promise<boolean> {
  const path = join(directory, createTempFileName());
  const file = await fileSystem.open(path, CREATE_NEW, PRIVATE_FILE_MODE);
  try {
    try {
      await giveOwnerAccess(file);
      // Not synced: the log is, and before that nobody is told that the append is done.
      await writeRange(file, 0, bytes);
    } finally {
      await file.close();
    }
    await fileSystem.link(path, claimPath(directory, start));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    // What could not be removed does not undo the claim; the next start removes it.
    await removeIfPresent(fileSystem, path).catch(() => undefined);
  }
}

/**
 * Puts the bytes of a claim into the log, unless it came too late, and ends the claim. Resolves to
 * whether they are in the log.
 */
export async function carryOut(
  fileSystem: SessionFileSystem,
  directory: string,
  claim: Claim,
  durability: Durability,
): Promise<boolean> {
  const { start, bytes } = claim;
  const log = await openLogToWrite(fileSystem, directory, start);
  let isOurs: boolean;
  try {
    // Of the file that is written to: since any look before, another may have come in its place.
    isOurs = (await isOpenClaim(claim, log)) || (await isCarriedOut(claim, log));
    if (isOurs) {
      if (start === 0) await giveOwnerAccess(log);
      await writeRange(log, start, bytes);
      if (durability === "fsync") await log.sync();
    }
  } finally {
    await log.close();
  }
  if (isOurs && start === 0 && durability === "fsync") await syncNames(fileSystem, directory);
  await dropClaim(fileSystem, directory, start);
  return isOurs;
}

/** Also ends the claim if the log that it should go on with was deleted: one made anew would begin with a gap. */
async function openLogToWrite(
  fileSystem: SessionFileSystem,
  directory: string,
  start: number,
): Promise<OpenFile> {
  const flags = start === 0 ? OPEN_LOG_TO_WRITE | fs.constants.O_CREAT : OPEN_LOG_TO_WRITE;
  try {
    return await fileSystem.open(join(directory, LOG_FILE), flags, PRIVATE_FILE_MODE);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") await dropClaim(fileSystem, directory, start);
    throw error;
  }
}

/** Ends a claim. */
export async function dropClaim(
  fileSystem: SessionFileSystem,
  directory: string,
  start: number,
): Promise<void> {
  await removeIfPresent(fileSystem, claimPath(directory, start));
}

function claimPath(directory: string, start: number): string {
  return join(directory, `${start}.append`);
}
