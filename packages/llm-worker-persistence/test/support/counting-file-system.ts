import type { OpenFile } from "../../src/open-file.js";
import { nodeSessionFileSystem, type SessionFileSystem } from "../../src/session/fs-claim.js";

/** What has been asked of a file system. */
export interface FileCounts {
  /** Calls by name; `handle.…` are those on an open file, `entry` is one name of a listing. */
  readonly calls: Readonly<Record<string, number>>;
  readonly readBytes: number;
  readonly writtenBytes: number;
}

/** The real file system, counted. */
export class CountingFileSystem {
  readonly fileSystem: SessionFileSystem;
  #calls: Record<string, number> = {};
  #readBytes = 0;
  #writtenBytes = 0;

  constructor() {
    this.fileSystem = this.#counted(nodeSessionFileSystem, "");
  }

  /** What has been asked since the last call. */
  take(): FileCounts {
    const taken = {
      calls: this.#calls,
      readBytes: this.#readBytes,
      writtenBytes: this.#writtenBytes,
    };
    this.#calls = {};
    this.#readBytes = 0;
    this.#writtenBytes = 0;
    return taken;
  }

  #counted<T extends object>(target: T, prefix: string): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          const name = prefix + String(key);
          this.#calls[name] = (this.#calls[name] ?? 0) + 1;
          const result: unknown = Reflect.apply(value, target, args);
          return result instanceof Promise
            ? result.then((outcome: unknown) => this.#outcome(name, outcome))
            : result;
        };
      },
    });
  }

  #outcome(name: string, outcome: unknown): unknown {
    if (name === "open") return this.#counted(outcome as OpenFile, "handle.");
    if (name === "opendir") return this.#listing(outcome as AsyncIterable<unknown>);
    if (outcome instanceof Uint8Array) this.#readBytes += outcome.length;
    if (typeof outcome !== "object" || outcome === null) return outcome;
    if ("bytesRead" in outcome) this.#readBytes += Number(outcome.bytesRead);
    if ("bytesWritten" in outcome) this.#writtenBytes += Number(outcome.bytesWritten);
    return outcome;
  }

  async *#listing(entries: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    for await (const entry of entries) {
      this.#calls["entry"] = (this.#calls["entry"] ?? 0) + 1;
      yield entry;
    }
  }
}
