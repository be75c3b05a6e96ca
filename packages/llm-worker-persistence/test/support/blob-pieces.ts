import { openBlobReader } from "llm-worker/blob";
import type { BlobEntry, BlobStoreLike } from "llm-worker/blob";
import fc from "fast-check";
import type { CompleteBlobStore } from "../../src/blob-store.js";

/** Bytes in which nothing repeats, the same for the same seed. */
export function randomBytes(byteCount: number, seed: number = 1): Uint8Array {
  const bytes = new Uint8Array(byteCount);
  let state = seed;
  for (let position = 0; position < byteCount; position++) {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[position] = state;
  }
  return bytes;
}

/** Payloads of up to some 30,000 bytes, with and without repetition. */
export const payloads: fc.Arbitrary<Uint8Array> = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.constantFrom("a", "naïve 漢字\n", '{"id":1},', "\n"), fc.nat({ max: 700 }))
        .map(([unit, count]) => Buffer.from(unit.repeat(count))),
      fc
        .tuple(fc.nat({ max: 5000 }), fc.integer({ min: 1, max: 99 }))
        .map(([byteCount, seed]) => Buffer.from(randomBytes(byteCount, seed))),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts));

/** Writes a payload as a stream, in pieces of this size. */
export async function writeStream(
  store: CompleteBlobStore,
  bytes: Uint8Array,
  pieceBytes: number,
  mediaType?: string,
): Promise<string> {
  const writer = await store.openWriter({ mediaType });
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    await writer.write(bytes.subarray(start, start + pieceBytes));
  }
  return (await writer.commit()).id;
}

/** One range of a blob. */
export async function readRange(
  store: BlobStoreLike,
  id: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const reader = await openBlobReader(store, id);
  try {
    return await reader.read(start, end);
  } finally {
    await reader.close();
  }
}

/** All that a store has. */
export async function entriesOf(store: CompleteBlobStore): Promise<readonly BlobEntry[]> {
  const entries: BlobEntry[] = [];
  for await (const entry of store.list()) entries.push(entry);
  return entries;
}

/** The ids of the blobs that have this media type. */
export async function idsOfType(
  store: CompleteBlobStore,
  mediaType: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { id } of await entriesOf(store)) {
    if ((await store.stat(id)).mediaType === mediaType) ids.push(id);
  }
  return ids;
}
