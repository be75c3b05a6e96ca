import { sep } from "node:path";
import { CREATE_NEW, type FileSystem, PRIVATE_FILE_MODE } from "./file-system.js";
import { errnoOf } from "./fs-error.js";
import type { OpenFile } from "./open-file.js";

const TEMP_FILE_NAME = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** The name of a file that is on its way: none that a person or another program would choose. */
export function createTempFileName(): string {
  return `.${crypto.randomUUID()}.tmp`;
}

/** Whether a file is still on its way, or was left by a process that died. No blob is named so. */
export function isTempFileName(name: string): boolean {
  return TEMP_FILE_NAME.test(name);
}

/** A temp file that nobody has touched for this long is taken for abandoned. */
export const ABANDONED_AFTER_MS: number = 60 * 60 * 1000;
const KEEP_FRESH_EVERY_MS = ABANDONED_AFTER_MS / 6;

/**
 * A file that appears at its place whole or not at all: written beside it under a temporary
 * name, sealed, then renamed. Each one ends with `publish` or `discard`.
 */
export class AtomicFile {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  readonly #handle: OpenFile;
  #keepingFresh: NodeJS.Timeout | undefined;
  #position = 0;
  #state: "open" | "sealed" | "published" | "discarded" = "open";

  private constructor(fileSystem: FileSystem, path: string, handle: OpenFile) {
    this.#fileSystem = fileSystem;
    this.#path = path;
    this.#handle = handle;
  }

  /** A new empty file in `directory` that only its owner may use. */
  static async create(fileSystem: FileSystem, directory: string): Promise<AtomicFile> {
    const path = `${directory}${sep}${createTempFileName()}`;
    const handle = await fileSystem.open(path, CREATE_NEW, PRIVATE_FILE_MODE);
    return new AtomicFile(fileSystem, path, handle);
  }

  /** For a stream: it may pause for longer than others wait before they remove abandoned files. */
  keepFresh(): void {
    this.#keepingFresh ??= setInterval(() => {
      const now = new Date();
      this.#handle.utimes(now, now).catch(() => undefined);
    }, KEEP_FRESH_EVERY_MS).unref();
  }

  /** Gives the owner the access that the umask took; resolves to whether it had taken any. */
  async giveOwnerAccess(): Promise<boolean> {
    const { mode } = await this.#handle.stat();
    if ((mode & PRIVATE_FILE_MODE) === PRIVATE_FILE_MODE) return false;
    await this.#handle.chmod(PRIVATE_FILE_MODE);
    return true;
  }

  /** Appends; resolves when the operating system has all of `bytes`. */
  async write(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await this.#handle.write(
        bytes,
        written,
        bytes.length - written,
        this.#position,
      );
      written += bytesWritten;
      this.#position += bytesWritten;
    }
  }

  /** Ends the writing. With `fsync` the bytes are on the disk when it resolves. */
  async seal(durability: "fsync" | "none"): Promise<void> {
    if (durability === "fsync") await this.#handle.sync();
    clearInterval(this.#keepingFresh);
    await this.#handle.close();
    this.#state = "sealed";
  }

  /** Puts the sealed file in its place, in the same directory. */
  async publish(path: string): Promise<void> {
    await this.#fileSystem.rename(this.#path, path);
    this.#state = "published";
  }

  /** Removes what has not been published. Harmless when repeated. */
  async discard(): Promise<void> {
    const state = this.#state;
    if (state === "published" || state === "discarded") return;
    this.#state = "discarded";
    clearInterval(this.#keepingFresh);
    try {
      if (state === "open") await this.#handle.close();
    } finally {
      await removeIfPresent(this.#fileSystem, this.#path);
    }
  }
}

/** Removes a file; resolves to whether there was one. */
export async function removeIfPresent(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    await fileSystem.unlink(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
