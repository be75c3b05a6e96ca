import type {
  BlobEntry,
  BlobId,
  BlobReader,
  BlobStat,
  BlobStoreLike,
  BlobWriter,
  BlobWriterOptions,
  Content,
} from "llm-worker/blob";

/**
 * Keeps blobs: write once, read by id. Three methods make a store; the optional capabilities of
 * {@link BlobStoreLike} (`stat`, `openReader`, `openWriter`, `delete`, `list`) are asked for by
 * presence. Prove an own store with the suite in `llm-worker-persistence/testing`.
 *
 * Ids are UUID v7 in lower case: `createBlobId` makes them, `assertBlobId` refuses all others. What was
 * stored and what was loaded share no memory: a change of one does not reach the other.
 *
 * All methods reject with a `BlobStoreError`, or with any error that has one of its codes.
 */
export interface BlobStore extends BlobStoreLike {
  /**
   * Stores the content under a new id, whole or not at all, half a surrogate pair in a text as U+FFFD.
   * The content must not be changed before the promise has settled.
   */
  store(content: Content): Promise<BlobId>;
  /**
   * The whole content, byte for byte as stored.
   * @throws `not_found`, `invalid_id`, `corrupt`, `forbidden`, `unavailable`
   */
  load(id: BlobId): Promise<Content>;
  /** Whether `load` would find the blob. @throws `invalid_id`, `forbidden`, `unavailable` */
  exists(id: BlobId): Promise<boolean>;
}

/** A store with all capabilities, as all shipped stores are. */
export interface CompleteBlobStore extends BlobStore {
  /** What is known of a blob, without loading it. */
  stat(id: BlobId): Promise<BlobStat>;
  /** Reads parts of a blob; the cost is that of the part. */
  openReader(id: BlobId): Promise<BlobReader>;
  /** Writes a blob of unknown length, with bounded memory. */
  openWriter(options?: BlobWriterOptions): Promise<BlobWriter>;
  /** Resolves to `true` if there was something to delete; of two calls at once, one gets `true`. */
  delete(id: BlobId): Promise<boolean>;
  /** All blobs, sorted by id. What is stored or deleted meanwhile may or may not be in it. */
  list(): AsyncIterable<BlobEntry>;
}
