import type { BlobStat, BlobStoreLike, BlobWriter } from "../../src/blob/blob-store.js";
import type { Content } from "../../src/blob/content.js";
import { describeBytes } from "../../src/output/describe.js";

/** What the store does instead of its work: reject with a code, throw, not answer for now, or give no id. */
export type Fault = { readonly code: string } | "hang" | "throw" | "no id";

/** A store in memory that can be told to fail, for tests of what becomes of an output then. */
export class FaultyStore implements BlobStoreLike {
  readonly blobs: Map<string, Content> = new Map();
  readonly calls: string[] = [];
  /** Looked up at each call, by its name. */
  faults: Partial<Record<string, Fault>> = {};
  /** Lets every call that hangs go on. */
  readonly release: () => void;
  readonly #released: Promise<void>;
  #count = 0;

  constructor() {
    let release: () => void = () => {};
    this.#released = new Promise((resolve) => (release = resolve));
    this.release = release;
  }

  nextId(): string {
    this.#count += 1;
    return `0190a000-0000-7000-8000-${String(this.#count).padStart(12, "0")}`;
  }

  async store(content: Content): Promise<string> {
    await this.call("store");
    // As a store without types might.
    if (this.faults["store"] === "no id") return undefined as unknown as string;
    return this.put(content);
  }

  async load(id: string): Promise<Content> {
    const content = this.blobs.get(id);
    if (content === undefined) throw failure("not_found");
    return content;
  }

  async exists(id: string): Promise<boolean> {
    return this.blobs.has(id);
  }

  async delete(id: string): Promise<boolean> {
    await this.call("delete");
    return this.blobs.delete(id);
  }

  protected put(content: Content): string {
    const id = this.nextId();
    this.blobs.set(id, content);
    return id;
  }

  protected call(name: string): Promise<void> {
    this.calls.push(name);
    const fault = this.faults[name];
    if (fault === "throw") throw failure("forbidden");
    if (fault === "no id") return Promise.resolve();
    if (fault === "hang") return this.#released;
    return fault === undefined ? Promise.resolve() : Promise.reject(failure(fault.code));
  }
}

/** The same with streamed writes. */
export class FaultyStreamStore extends FaultyStore {
  /** Runs in each write, and can make it slow. */
  onWrite: (chunk: Uint8Array) => unknown = () => undefined;
  /** `false`: what is written is only counted, for streams that are too large to hold. */
  keepsBytes = true;

  async openWriter(): Promise<BlobWriter> {
    await this.call("openWriter");
    const chunks: Uint8Array[] = [];
    let byteCount = 0;
    return {
      write: async (chunk) => {
        await this.call("write");
        byteCount += chunk.length;
        if (this.keepsBytes) chunks.push(Uint8Array.from(chunk));
        await this.onWrite(chunk);
      },
      commit: async () => {
        await this.call("commit");
        const { content, overview } = describeBytes(Buffer.concat(chunks), 0);
        const counted: BlobStat = { kind: "text", byteCount, mediaType: "text/plain" };
        return { id: this.put(content), stat: this.keepsBytes ? overview.stat : counted };
      },
      abort: async () => this.call("abort"),
    };
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`the disk says ${code}`), { code });
}
