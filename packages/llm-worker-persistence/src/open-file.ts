import type { Stats } from "node:fs";
import { fs } from "./node-fs.js";

/** An open file: what the stores need of the `FileHandle` of `node:fs/promises`. */
export interface OpenFile {
  read(
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  /** Writes at `position`, or, with `null`, at the end. It may be less than `length` bytes. */
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesWritten: number }>;
  stat(): Promise<Stats>;
  chmod(mode: number): Promise<void>;
  utimes(accessedAt: Date, changedAt: Date): Promise<void>;
  sync(): Promise<void>;
  /** Waits for what is under way. Harmless when repeated. */
  close(): Promise<void>;
}

/** What a function of `node:fs` calls at its end. */
export type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** One call of a function of `node:fs`, as a promise. */
export function promised<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error) reject(error);
      else resolve(value);
    });
  });
}

// Larger single reads are refused by the system call.
const MAX_READ_BYTES = 1024 * 1024 * 1024;

/** Fills `target` with the bytes from `start` on. Resolves to how many there were. */
export async function readAt(file: OpenFile, target: Uint8Array, start: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const length = Math.min(target.length - filled, MAX_READ_BYTES);
    const { bytesRead } = await file.read(target, filled, length, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** As `open` of `node:fs/promises`, which takes longer: a small blob is little else than file calls. */
export async function openFile(path: string, flags: number, mode?: number): Promise<OpenFile> {
  // Under the permission model of Node a file that is known by its number cannot be synced.
  if ("permission" in process) return fs.promises.open(path, flags, mode);
  return new NodeFile(await promised((done) => fs.open(path, flags, mode, done)));
}

// The number of a closed file is soon that of another one, so nothing is started after `close`, and
// the file is closed only when nothing is under way.
class NodeFile implements OpenFile {
  readonly #descriptor: number;
  #underWay = 0;
  #closed: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  read(
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }> {
    return this.#use((file, done) => {
      fs.read(file, target, offset, length, position, (error, bytesRead) => {
        done(error, { bytesRead });
      });
    });
  }

  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ bytesWritten: number }> {
    return this.#use((file, done) => {
      fs.write(file, bytes, offset, length, position, (error, bytesWritten) => {
        done(error, { bytesWritten });
      });
    });
  }

  stat(): Promise<Stats> {
    return this.#use<Stats>((file, done) => fs.fstat(file, done));
  }

  chmod(mode: number): Promise<void> {
    return this.#use<void>((file, done) => fs.fchmod(file, mode, done));
  }

  utimes(accessedAt: Date, changedAt: Date): Promise<void> {
    return this.#use<void>((file, done) => fs.futimes(file, accessedAt, changedAt, done));
  }

  sync(): Promise<void> {
    return this.#use<void>((file, done) => fs.fsync(file, done));
  }

  close(): Promise<void> {
    if (this.#closed) return this.#closed;
    const closing = promised<void>((done) => {
      const close = (): void => fs.close(this.#descriptor, done);
      if (this.#underWay === 0) close();
      else this.#whenIdle = close;
    });
    // A close that reports an error has closed all the same.
    this.#closed = closing.catch(() => undefined);
    return closing;
  }

  #use<T>(call: (descriptor: number, done: Done<T>) => void): Promise<T> {
    return promised((done) => {
      if (this.#closed) throw closedFile();
      call(this.#descriptor, (error, value) => {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#whenIdle?.();
        done(error, value);
      });
      // Arguments that are refused at once start nothing.
      this.#underWay += 1;
    });
  }
}

function closedFile(): NodeJS.ErrnoException {
  return Object.assign(new Error("EBADF: the file is closed"), { code: "EBADF" });
}
