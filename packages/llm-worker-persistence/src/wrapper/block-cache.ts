import { type BlobDescription, type BlobId, type BlobIndex, openedIndex } from "llm-worker/blob";

/** What an entry takes up beside its bytes, about. */
const ENTRY_BYTES = 256;
/** What an object in an index takes up beside what it holds, about. */
const OBJECT_BYTES = 64;

interface Entry<T> {
  readonly value: T;
  readonly byteCount: number;
  readonly remove: () => void;
}

interface CachedBlob {
  description?: Entry<BlobDescription> | undefined;
  readonly blocks: Map<number, Entry<Uint8Array>>;
}

/**
 * Blocks and descriptions of blobs, those used last, in at most `maxBytes`. Each counts with its
 * bytes and 256 more for its place.
 */
export class BlockCache {
  readonly #maxBytes: number;
  readonly #blobs = new Map<BlobId, CachedBlob>();
  /** All entries, the one used longest ago first. */
  readonly #byUse = new Set<Entry<unknown>>();
  #byteCount = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Never more than `maxBytes`. */
  get byteCount(): number {
    return this.#byteCount;
  }

  block(id: BlobId, number: number): Uint8Array | undefined {
    return this.#use(this.#blobs.get(id)?.blocks.get(number));
  }

  description(id: BlobId): BlobDescription | undefined {
    const entry = this.#blobs.get(id)?.description;
    const index = entry?.value.index;
    // The store makes it anew when it is asked again.
    if (index !== undefined && openedIndex(index)?.isBroken === true) entry?.remove();
    return this.#use(this.#blobs.get(id)?.description);
  }

  /** @param bytes the whole of its `ArrayBuffer`, which otherwise would be held uncounted */
  addBlock(id: BlobId, number: number, bytes: Uint8Array): void {
    this.#blobs.get(id)?.blocks.get(number)?.remove();
    const blob = this.#room(id, bytes.length);
    blob?.blocks.set(
      number,
      this.#enter(bytes, bytes.length, () => {
        blob.blocks.delete(number);
        this.#forgetIfEmpty(id, blob);
      }),
    );
  }

  addDescription(id: BlobId, description: BlobDescription): void {
    this.#blobs.get(id)?.description?.remove();
    const byteCount = indexBytes(description.index);
    const blob = this.#room(id, byteCount);
    if (blob === undefined) return;
    blob.description = this.#enter(description, byteCount, () => {
      blob.description = undefined;
      this.#forgetIfEmpty(id, blob);
    });
  }

  /** Forgets all of a blob. */
  drop(id: BlobId): void {
    const blob = this.#blobs.get(id);
    blob?.description?.remove();
    for (const entry of blob?.blocks.values() ?? []) entry.remove();
  }

  #use<T>(entry: Entry<T> | undefined): T | undefined {
    if (entry === undefined) return undefined;
    this.#byUse.delete(entry);
    this.#byUse.add(entry);
    return entry.value;
  }

  /** Makes room for an entry of this blob, unless it can never fit. */
  #room(id: BlobId, byteCount: number): CachedBlob | undefined {
    const left = this.#maxBytes - byteCount - ENTRY_BYTES;
    if (left < 0) return undefined;
    for (const oldest of this.#byUse) {
      if (this.#byteCount <= left) break;
      oldest.remove();
    }
    const blob = this.#blobs.get(id) ?? { blocks: new Map<number, Entry<Uint8Array>>() };
    this.#blobs.set(id, blob);
    return blob;
  }

  #enter<T>(value: T, bytes: number, detach: () => void): Entry<T> {
    const byteCount = bytes + ENTRY_BYTES;
    const entry: Entry<T> = {
      value,
      byteCount,
      remove: () => {
        if (!this.#byUse.delete(entry)) return;
        this.#byteCount -= byteCount;
        detach();
      },
    };
    this.#byUse.add(entry);
    this.#byteCount += byteCount;
    return entry;
  }

  #forgetIfEmpty(id: BlobId, blob: CachedBlob): void {
    const isEmpty = blob.description === undefined && blob.blocks.size === 0;
    if (isEmpty && this.#blobs.get(id) === blob) this.#blobs.delete(id);
  }
}

function indexBytes(index: BlobIndex | undefined): number {
  if (index === undefined) return 0;
  return openedIndex(index)?.byteCount ?? memoryBytes(index);
}

/** What an index takes up that was not read from bytes, whatever its shape: numbers, texts and the objects that hold them. */
function memoryBytes(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value === "number") return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  let byteCount = OBJECT_BYTES;
  for (const part of Object.values(value)) byteCount += memoryBytes(part);
  return byteCount;
}
