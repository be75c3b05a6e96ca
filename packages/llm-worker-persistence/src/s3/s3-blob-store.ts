import { constants, isUtf8 } from "node:buffer";
import { contentOf } from "llm-worker/blob";
import type {
  BlobEntry,
  BlobId,
  BlobReader,
  BlobStat,
  BlobWriter,
  BlobWriterOptions,
  Content,
} from "llm-worker/blob";
import { assertBlobId } from "../blob-id.js";
import { writeContent } from "../blob-sink.js";
import type { CompleteBlobStore } from "../blob-store.js";
import { blobCorrupt, BlobStoreError } from "../blob-store-error.js";
import { checkedLimit } from "../checked-limit.js";
import { ConcurrencyLimit } from "../concurrency-limit.js";
import { SinkWriter } from "../sink-writer.js";
import { type AbandonedParts, removeAbandonedParts } from "./abandoned-parts.js";
import { listedBlobs } from "./listed-blobs.js";
import { BlobKeys } from "./blob-keys.js";
import { recordOfMetadata } from "./object-record.js";
import { S3BlobReader } from "./s3-blob-reader.js";
import { S3BlobSink } from "./s3-blob-sink.js";
import { toBlobStoreError } from "./s3-error.js";
import { S3Objects } from "./s3-objects.js";
import { keyPrefixOf, partBytesOf, type S3Options } from "./s3-options.js";
import { findPayload, S3Payload } from "./s3-payload.js";

/** How many operations one store has under way at a time. */
export const MAX_CONCURRENT_OPERATIONS = 16;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Which leftovers count as abandoned. */
export interface RemoveAbandonedOptions {
  /** Nothing younger is touched: it may still be written. Default one day. */
  readonly minAgeMs?: number | undefined;
}

/**
 * Keeps blobs as objects in S3 or a service that speaks its protocol: `PREFIX/blobs/{id}.txt`, `.json`
 * or `.bin`, byte-exact; `{id}.index` beside the larger ones. A read is one ranged GET, and its bytes
 * are verified. Any number of stores and machines may use one prefix at the same time.
 *
 * Needs `@aws-sdk/client-s3`, which is loaded by the first call.
 */
export class S3BlobStore implements CompleteBlobStore {
  readonly #objects: S3Objects;
  readonly #keys: BlobKeys;
  readonly #partBytes: number;
  readonly #limit = new ConcurrencyLimit(MAX_CONCURRENT_OPERATIONS);
  /** The last call for each blob that is being deleted: they take turns. */
  readonly #deleting = new Map<BlobId, Promise<unknown>>();

  constructor(options: S3Options) {
    this.#objects = new S3Objects(options);
    this.#keys = new BlobKeys(keyPrefixOf(options));
    this.#partBytes = partBytesOf(options);
  }

  store(content: Content): Promise<BlobId> {
    return this.#limit.run(async () => {
      const mediaType = content.type === "binary" ? content.mediaType : undefined;
      const sink = new S3BlobSink(this.#objects, this.#keys, {
        partBytes: this.#partBytes,
        content: { kind: content.type, mediaType },
      });
      return writeContent(sink, content);
    });
  }

  load(id: BlobId): Promise<Content> {
    return this.#reading(id, async () => {
      const payload = await S3Payload.open(this.#objects, this.#keys, id);
      const { checksums, description } = payload.record;
      const { stat } = description;
      if (stat.byteCount > constants.MAX_LENGTH) throw tooLargeToLoad(id, stat);
      const bytes = await payload.read(0, stat.byteCount);
      const isText = stat.kind !== "binary" && stat.validUtf8 !== false;
      if (!checksums && isText && !isUtf8(bytes)) {
        throw blobCorrupt(id, "its payload was valid UTF-8 and is no longer");
      }
      return contentOf(stat, bytes);
    });
  }

  exists(id: BlobId): Promise<boolean> {
    return this.#reading(id, async () => {
      return (await findPayload(this.#objects, this.#keys, id, 0, 1)) !== undefined;
    });
  }

  stat(id: BlobId): Promise<BlobStat> {
    return this.#reading(id, async () => {
      return (await S3Payload.open(this.#objects, this.#keys, id)).record.description.stat;
    });
  }

  openReader(id: BlobId): Promise<BlobReader> {
    return this.#reading(id, async () => {
      const payload = await S3Payload.open(this.#objects, this.#keys, id);
      return new S3BlobReader(payload, (task) => this.#reading(id, task));
    });
  }

  async openWriter(options: BlobWriterOptions = {}): Promise<BlobWriter> {
    options.signal?.throwIfAborted();
    const sink = new S3BlobSink(this.#objects, this.#keys, {
      partBytes: this.#partBytes,
      content: { mediaType: options.mediaType },
      signal: options.signal,
    });
    return new SinkWriter(sink, options, this.#limit);
  }

  /** Of two stores that delete a blob at the same time both may resolve to `true`: S3 does not tell. */
  delete(id: BlobId): Promise<boolean> {
    return this.#reading(id, async () => {
      const turn = (this.#deleting.get(id) ?? Promise.resolve()).then(() => this.#delete(id));
      const settled = turn.catch(() => undefined);
      this.#deleting.set(id, settled);
      try {
        return await turn;
      } finally {
        if (this.#deleting.get(id) === settled) this.#deleting.delete(id);
      }
    });
  }

  async *list(): AsyncIterable<BlobEntry> {
    try {
      for await (const { id, payload, sidecar } of listedBlobs(this.#objects, this.#keys)) {
        if (!payload) continue;
        // An upload in parts has the time of its beginning. Its sidecar is written at its end.
        const storedAtMs = Math.max(payload.modifiedAtMs, sidecar?.modifiedAtMs ?? 0);
        yield { id, byteCount: payload.byteCount, storedAtMs };
      }
    } catch (error) {
      throw this.#toError(error, undefined);
    }
  }

  /**
   * Removes what writers that died have left: uploads that never came to an end, which cost money
   * though no listing shows them, and sidecars without a payload. Nothing calls this by itself; a
   * lifecycle rule of the bucket (`AbortIncompleteMultipartUpload`) does the first half as well.
   *
   * @throws BlobStoreError; RangeError if `minAgeMs` is no number
   */
  async removeAbandoned(options: RemoveAbandonedOptions = {}): Promise<AbandonedParts> {
    const before = Date.now() - checkedLimit("minAgeMs", options.minAgeMs ?? DAY_MS);
    try {
      return await removeAbandonedParts(this.#objects, this.#keys, before);
    } catch (error) {
      throw this.#toError(error, undefined);
    }
  }

  async #delete(id: BlobId): Promise<boolean> {
    const found = await findPayload(this.#objects, this.#keys, id, 0, 1);
    if (!found) return false;
    // The payload first, so that a payload that can be seen is complete.
    await this.#objects.delete(found.key);
    if (!recordOfMetadata(found.part.metadata)) await this.#objects.delete(this.#keys.sidecar(id));
    return true;
  }

  async #reading<T>(id: BlobId, task: () => Promise<T>): Promise<T> {
    assertBlobId(id);
    try {
      return await this.#limit.run(task);
    } catch (error) {
      throw this.#toError(error, id);
    }
  }

  #toError(error: unknown, blobId: BlobId | undefined): unknown {
    const what =
      blobId === undefined ? "the store could not be used" : `blob ${blobId} could not be reached`;
    return toBlobStoreError(error, { what, bucket: this.#objects.bucket, blobId });
  }
}

function tooLargeToLoad(blobId: BlobId, { byteCount }: BlobStat): BlobStoreError {
  return new BlobStoreError(
    "unavailable",
    `blob ${blobId} is too large to be in memory as a whole (${byteCount} bytes): read parts of it with openReader()`,
    { blobId },
  );
}
