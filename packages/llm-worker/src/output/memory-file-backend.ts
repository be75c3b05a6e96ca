import { LlmWorkerError } from "../errors.js";
import type { FileBackend, FileStat } from "./file-backend.js";

/** There is no file of that path in a {@link MemoryFileBackend}. */
export class FileNotFoundError extends LlmWorkerError {
  readonly code = "not_found";
}

/** Keeps files in the memory of the process: for tests and short runs. Takes any path. */
export class MemoryFileBackend implements FileBackend {
  readonly #files = new Map<string, Uint8Array>();

  /** Paths of all files, in the order in which they were written. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const copies: Uint8Array[] = [];
    for await (const chunk of chunks) copies.push(new Uint8Array(chunk));
    let free = path;
    for (let number = 2; this.#files.has(free); number += 1) free = `${path}-${String(number)}`;
    this.#files.set(free, Buffer.concat(copies));
    return free;
  }

  async stat(path: string): Promise<FileStat> {
    return { byteCount: this.#bytesOf(path).length };
  }

  async read(path: string, start: number, end: number): Promise<Uint8Array> {
    const from = Math.max(0, start);
    return new Uint8Array(this.#bytesOf(path).subarray(from, Math.max(from, end)));
  }

  async delete(path: string): Promise<boolean> {
    return this.#files.delete(path);
  }

  #bytesOf(path: string): Uint8Array {
    const bytes = this.#files.get(path);
    if (bytes === undefined) {
      throw new FileNotFoundError(
        "there is no file of that path: it was deleted, or never written",
      );
    }
    return bytes;
  }
}
