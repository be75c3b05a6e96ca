import { join } from "node:path";
import { type FileSystem, OPEN_EXISTING, PRIVATE_FILE_MODE } from "../file-system.js";
import { errnoOf } from "../fs-error.js";
import { type OpenFile, readAt } from "../open-file.js";

/** Name of the log in the directory of its session. */
export const LOG_FILE = "log.jsonl";
const LINE_FEED = 0x0a;
/** Nearly every log ends in a line end: a look at its last bytes is enough, unless it is torn. */
const FIRST_SCAN_BYTES = 512;
const MAX_SCAN_BYTES = 64 * 1024;

/** Opens the log of a session directory; `undefined` if there is none. */
export async function openLog(
  fileSystem: FileSystem,
  directory: string,
): Promise<OpenFile | undefined> {
  try {
    return await fileSystem.open(join(directory, LOG_FILE), OPEN_EXISTING);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Where the whole lines end, and the file. */
export interface LogEnd {
  readonly wholeByteCount: number;
  readonly byteCount: number;
}

/** Looks from the end of the file for the last line end. */
export async function findEnd(handle: OpenFile): Promise<LogEnd> {
  const { size } = await handle.stat();
  let scanBytes = FIRST_SCAN_BYTES;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - scanBytes);
    const at = (await readRange(handle, start, end)).lastIndexOf(LINE_FEED);
    if (at >= 0) return { wholeByteCount: start + at + 1, byteCount: size };
    end = start;
    scanBytes = Math.min(8 * scanBytes, MAX_SCAN_BYTES);
  }
  return { wholeByteCount: 0, byteCount: size };
}

/** The bytes of `[start, end)`, or fewer if the file ends before. */
export async function readRange(handle: OpenFile, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, await readAt(handle, bytes, start));
}

/** Writes all of the bytes at a place, or, with `null`, at the end. */
export async function writeRange(
  handle: OpenFile,
  start: number | null,
  bytes: Uint8Array,
): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(
      bytes,
      written,
      bytes.length - written,
      start === null ? null : start + written,
    );
    written += bytesWritten;
  }
}

/** Gives the owner of a new file the access that the umask took. */
export async function giveOwnerAccess(handle: OpenFile): Promise<void> {
  const { mode } = await handle.stat();
  if ((mode & PRIVATE_FILE_MODE) !== PRIVATE_FILE_MODE) await handle.chmod(PRIVATE_FILE_MODE);
}
