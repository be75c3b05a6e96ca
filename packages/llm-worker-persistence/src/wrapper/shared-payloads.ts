import type { Hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { BlobIndexBuilder, keepDescription, knownDescription } from "llm-worker/blob";
import type {
  BlobDescription,
  BlobId,
  BlobIndex,
  BlobStat,
  BlobWriter,
  Content,
} from "llm-worker/blob";
import type { BlobSink } from "../blob-sink.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { BlobStoreError } from "../blob-store-error.js";
import { contentPieces } from "../content-pieces.js";
import {
  CLOCK_SLACK_MS,
  KnownContents,
  REUSE_WINDOW_MS,
  type SharedContent,
} from "./known-contents.js";
import { CONTENT_MEDIA_TYPE, encodePointer, POINTER_MEDIA_TYPE } from "./pointer.js";
import { hashKey, recentContents } from "./recent-contents.js";
import { createSha256 } from "./sha256.js";

/** What a payload is, and its hash. */
interface Fingerprint extends BlobDescription {
  readonly sha256: Uint8Array;
}

/** Stores payloads, each once, and pointers to them. */
export class SharedPayloads {
  readonly #known: KnownContents;
  readonly #store: CompleteBlobStore;
  readonly #now: () => number;

  constructor(store: CompleteBlobStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#known = new KnownContents(store, now);
  }

  /** Stores a content that is in memory. Nothing but a pointer is written if it is known. */
  async store(content: Content): Promise<BlobId> {
    const fingerprint = await fingerprintOf(content);
    return this.#point(fingerprint, () => this.#write(content, fingerprint));
  }

  /** Where a stream goes: written while it comes, and dropped at its end if it is known. */
  async openSink(signal?: AbortSignal): Promise<BlobSink> {
    const writer = await this.#openWriter(signal);
    return new SharedPayloadSink(writer, async (fingerprint) => {
      const id = await this.#point(fingerprint, async () => (await writer.commit()).id);
      // It is committed, or not wanted; what could not be dropped does not undo the blob.
      await writer.abort().catch(() => undefined);
      return id;
    });
  }

  /** Remembers what others have stored. Resolves to how many contents that are. */
  async learn(): Promise<number> {
    const contents = await recentContents(this.#store, this.#now() - REUSE_WINDOW_MS);
    for (const [hash, content] of contents) this.#known.add(hash, content);
    return contents.size;
  }

  #openWriter(signal?: AbortSignal): Promise<BlobWriter> {
    return this.#store.openWriter({ mediaType: CONTENT_MEDIA_TYPE, signal });
  }

  async #write(content: Content, { sha256 }: Fingerprint): Promise<BlobId> {
    const writer = await this.#openWriter();
    // Others will rely on the hash, and bytes may have been changed since it was made. A text cannot.
    const hash = content.type === "binary" ? createSha256() : undefined;
    try {
      for (const { bytes } of contentPieces(content)) {
        const piece = hash === undefined ? bytes : new Uint8Array(bytes);
        hash?.update(piece);
        await writer.write(piece);
      }
      if (hash?.digest().equals(sha256) === false) throw changedMeanwhile();
      return (await writer.commit()).id;
    } catch (error) {
      // What could not be aborted does not hide why.
      await writer.abort().catch(() => undefined);
      throw error;
    }
  }

  async #point(fingerprint: Fingerprint, write: () => Promise<BlobId>): Promise<BlobId> {
    const content = await this.#known.find(hashKey(fingerprint.sha256), async () => {
      const storedAtMs = this.#now();
      return { id: await write(), storedAtMs };
    });
    const bytes = encodePointer({ ...fingerprint, contentId: content.id });
    const id = await this.#store.store({ type: "binary", bytes, mediaType: POINTER_MEDIA_TYPE });
    await this.#confirm(id, content);
    return id;
  }

  // Clean-up looks for pointers when a content is old. One that was there by then has been seen;
  // of one that came later, because this process stood still, nobody knows.
  async #confirm(id: BlobId, content: SharedContent): Promise<void> {
    if (this.#now() - content.storedAtMs < REUSE_WINDOW_MS + CLOCK_SLACK_MS) return;
    await this.#store.delete(id);
    throw new BlobStoreError(
      "unavailable",
      "storing a blob took so long that its payload may have been removed meanwhile: store it again",
    );
  }
}

class SharedPayloadSink implements BlobSink {
  readonly #writer: BlobWriter;
  readonly #settle: (fingerprint: Fingerprint) => Promise<BlobId>;
  readonly #hash: Hash = createSha256();

  constructor(writer: BlobWriter, settle: (fingerprint: Fingerprint) => Promise<BlobId>) {
    this.#writer = writer;
    this.#settle = settle;
  }

  async write(piece: Uint8Array): Promise<void> {
    const copy = new Uint8Array(piece);
    this.#hash.update(copy);
    await this.#writer.write(copy);
  }

  publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId> {
    return this.#settle({ stat, index, sha256: this.#hash.digest() });
  }

  discard(): Promise<void> {
    return this.#writer.abort();
  }
}

async function fingerprintOf(content: Content): Promise<Fingerprint> {
  const hash = createSha256();
  const known = knownDescription(content);
  const builder = new BlobIndexBuilder(
    content.type === "binary"
      ? { kind: "binary", mediaType: content.mediaType }
      : { kind: content.type },
  );
  for (const { bytes, text } of contentPieces(content)) {
    hash.update(bytes);
    if (known === undefined) builder.write(bytes, text);
    // A large content must not hold up the rest of the program.
    await setImmediate();
  }
  const description = known ?? builder.finish();
  if (content.type !== "binary") keepDescription(content, description);
  return { ...description, sha256: hash.digest() };
}

function changedMeanwhile(): BlobStoreError {
  return new BlobStoreError(
    "unavailable",
    "the bytes of a blob were changed while it was stored: store them again, and leave them as they are until then",
  );
}
