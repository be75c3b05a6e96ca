import type { BlobId, BlobIndex, BlobStat, BlobWriterOptions, Content } from "llm-worker/blob";
import type { BlobSink } from "../blob-sink.js";
import type { CompleteBlobStore } from "../blob-store.js";

/** Bytes that a content takes in a store. */
export function contentByteCount(content: Content): number {
  if (content.type === "binary") return content.bytes.length;
  return Buffer.byteLength(content.type === "text" ? content.text : content.raw);
}

/** What becomes of a stream, by its size. */
export interface SmallBlobSinkOptions {
  /** Where a blob goes that is smaller than `minBytes`: as it is. */
  readonly store: CompleteBlobStore;
  /** What the caller has said of the stream. */
  readonly options: BlobWriterOptions;
  readonly minBytes: number;
  /** Where any other blob goes. */
  readonly openLarge: () => Promise<BlobSink>;
}

/** Holds the beginning of a stream until it is clear whether it is too small for the wrapper to help. */
export class SmallBlobSink implements BlobSink {
  readonly #to: SmallBlobSinkOptions;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #large: BlobSink | undefined;

  constructor(to: SmallBlobSinkOptions) {
    this.#to = to;
  }

  async write(piece: Uint8Array): Promise<void> {
    if (this.#large) return this.#large.write(piece);
    if (this.#heldBytes + piece.length >= this.#to.minBytes) {
      const large = await this.#openLarge();
      return large.write(piece);
    }
    this.#held.push(new Uint8Array(piece));
    this.#heldBytes += piece.length;
  }

  async publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId> {
    const { store, options, minBytes } = this.#to;
    if (this.#large || this.#heldBytes >= minBytes) {
      return (this.#large ?? (await this.#openLarge())).publish(stat, index);
    }
    const writer = await store.openWriter(options);
    try {
      for (const piece of this.#held) await writer.write(piece);
      return (await writer.commit()).id;
    } catch (error) {
      // What could not be aborted does not hide why.
      await writer.abort().catch(() => undefined);
      throw error;
    }
  }

  async discard(): Promise<void> {
    this.#held = [];
    await this.#large?.discard();
  }

  async #openLarge(): Promise<BlobSink> {
    const large = await this.#to.openLarge();
    this.#large = large;
    for (const piece of this.#held) await large.write(piece);
    this.#held = [];
    return large;
  }
}
