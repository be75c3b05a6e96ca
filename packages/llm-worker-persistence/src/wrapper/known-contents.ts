import type { BlobId } from "llm-worker/blob";
import type { CompleteBlobStore } from "../blob-store.js";

const HOUR_MS = 60 * 60 * 1000;
/** No pointer is made to a content that was stored longer ago. */
export const REUSE_WINDOW_MS: number = 24 * HOUR_MS;
/** How far clocks may differ, and how long a pointer may take to be written. */
export const CLOCK_SLACK_MS: number = HOUR_MS / 2;

/** About 200 bytes each. */
const MAX_KNOWN_CONTENTS = 16_384;

/** A content that is in the store. */
export interface SharedContent {
  readonly id: BlobId;
  /** Milliseconds since the epoch; not later than it was. */
  readonly storedAtMs: number;
}

/** Which contents are in the store, by their hashes, as far as this process knows. */
export class KnownContents {
  readonly #store: Pick<CompleteBlobStore, "exists">;
  readonly #now: () => number;
  readonly #byHash = new Map<string, Promise<SharedContent>>();

  constructor(store: Pick<CompleteBlobStore, "exists">, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The content with this hash: the one that is there, or the one that `write` stores. */
  async find(hash: string, write: () => Promise<SharedContent>): Promise<SharedContent> {
    for (;;) {
      const known = this.#byHash.get(hash);
      if (known === undefined) break;
      const content = await this.#usable(known);
      if (content) return content;
      this.#forget(hash, known);
    }
    const writing = write();
    this.add(hash, writing);
    try {
      return await writing;
    } catch (error) {
      this.#forget(hash, writing);
      throw error;
    }
  }

  /** Remembers a content, in place of one with the same hash. */
  add(hash: string, content: SharedContent | Promise<SharedContent>): void {
    const adding = Promise.resolve(content);
    adding.catch(() => undefined);
    this.#byHash.delete(hash);
    this.#byHash.set(hash, adding);
    const [oldest] = this.#byHash.keys();
    if (oldest !== undefined && this.#byHash.size > MAX_KNOWN_CONTENTS) this.#byHash.delete(oldest);
  }

  async #usable(known: Promise<SharedContent>): Promise<SharedContent | undefined> {
    // Whoever writes it is told why it failed; here it is written again.
    const content = await known.catch(() => undefined);
    if (content === undefined || this.#now() - content.storedAtMs >= REUSE_WINDOW_MS) {
      return undefined;
    }
    return (await this.#store.exists(content.id)) ? content : undefined;
  }

  #forget(hash: string, known: Promise<SharedContent>): void {
    if (this.#byHash.get(hash) === known) this.#byHash.delete(hash);
  }
}
