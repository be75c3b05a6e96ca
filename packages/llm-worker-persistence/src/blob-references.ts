import * as fs from "node:fs/promises";
import { join } from "node:path";
import { type BlobId, blobStoreErrorCode } from "llm-worker/blob";
import { errnoOf } from "./fs-error.js";
import type { SessionStore } from "./session/session-store.js";

const BLOB_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const BLOB_ID_LENGTH = 36;
const CHUNK_BYTES = 256 * 1024;

/**
 * Everything in a stream of bytes that reads like the id of a blob. Looks at the bytes and not at what
 * they say, so that nothing is missed in a log that is damaged, torn or of a later version.
 */
export async function* blobIdsIn(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<BlobId, void, undefined> {
  let tail = "";
  for await (const chunk of chunks) {
    const text =
      tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    let end = 0;
    for (const match of text.matchAll(BLOB_ID)) {
      yield match[0];
      end = match.index + BLOB_ID_LENGTH;
    }
    tail = text.slice(Math.max(end, text.length - BLOB_ID_LENGTH + 1));
  }
}

/**
 * The blobs that the logs of a store's sessions name.
 *
 * @throws what the store throws if one cannot be read: an incomplete list must not be taken for complete
 */
export async function* sessionBlobIds(
  sessions: SessionStore,
): AsyncGenerator<BlobId, void, undefined> {
  for await (const { id } of sessions.list()) {
    try {
      yield* blobIdsIn((await sessions.read(id)).chunks);
    } catch (error) {
      // Deleted since it was listed.
      if (blobStoreErrorCode(error) !== "not_found") throw error;
    }
  }
}

/**
 * The blobs that the files below a directory name, whatever files they are: logs of `FsSessionStore`,
 * snapshots, notes.
 *
 * @throws what the file system throws, except for files that vanish meanwhile
 */
export async function* fileBlobIds(directory: string): AsyncGenerator<BlobId, void, undefined> {
  yield* blobIdsBelow(directory, new Set());
}

async function* blobIdsBelow(
  directory: string,
  visited: Set<string>,
): AsyncGenerator<BlobId, void, undefined> {
  const realPath = await fs.realpath(directory);
  // A link may lead back to where it is.
  if (visited.has(realPath)) return;
  visited.add(realPath);
  for await (const { name } of await fs.opendir(directory)) {
    const path = join(directory, name);
    try {
      const stats = await fs.stat(path);
      if (stats.isDirectory()) yield* blobIdsBelow(path, visited);
      else if (stats.isFile()) yield* blobIdsIn(chunksOf(path));
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  }
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await fs.open(path);
  try {
    for (;;) {
      const bytes = new Uint8Array(CHUNK_BYTES);
      const { bytesRead } = await file.read(bytes);
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
