import { MemoryFileBackend } from "../../src/output/memory-file-backend.js";
import type { Fault } from "./faulty-store.js";

/** A backend that can be told to fail, for tests of what becomes of an output then. */
export class FaultyFileBackend extends MemoryFileBackend {
  /** What `write` does instead of its work; with `afterChunks`, once it has taken so many. */
  fault: Fault | undefined;
  afterChunks = 0;
  /** Lets every call that hangs go on. */
  readonly release: () => void;
  readonly #released: Promise<void>;

  constructor() {
    super();
    let release: () => void = () => {};
    this.#released = new Promise((resolve) => (release = resolve));
    this.release = release;
  }

  override write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const { fault, afterChunks } = this;
    if (fault === "throw") throw Object.assign(new Error("no"), { code: "forbidden" });
    return super.write(
      path,
      fault === undefined ? chunks : this.#failing(chunks, fault, afterChunks),
    );
  }

  async *#failing(
    chunks: AsyncIterable<Uint8Array>,
    fault: Fault,
    afterChunks: number,
  ): AsyncGenerator<Uint8Array> {
    let taken = 0;
    for await (const chunk of chunks) {
      if (taken === afterChunks) break;
      taken += 1;
      yield chunk;
    }
    if (typeof fault === "object") throw Object.assign(new Error("the disk is broken"), fault);
    await this.#released;
  }
}
