import { SessionError, sessionNotFound } from "../session/session-error.js";
import { neverAtRest, noConditionalWrites } from "./s3-session-error.js";
import type { S3Objects } from "./s3-objects.js";
import type { SessionKeys } from "./session-keys.js";
import { logFetches, type SessionLogReader } from "./session-log-reader.js";
import { type LogView, MAX_LOOKS, viewLog } from "./session-log-view.js";
import {
  createNonce,
  MAX_MERGED_BYTES,
  mergedObject,
  NONCE_BYTES,
  nonceOf,
} from "./session-objects.js";
import { deleteAll } from "./session-removal.js";

/** What a compaction has done. */
export interface SessionCompaction {
  /** How many objects were made into one; 0 if there was nothing to do. */
  readonly mergedCount: number;
}

/**
 * Makes one object of all appends of a log. At any moment the log can be read and continued, and
 * compacted by somebody else: the new object is complete before one of the old ones goes.
 *
 * @throws SessionError; S3Failure; S3IntegrityFailure
 */
export async function compactLog(
  objects: S3Objects,
  keys: SessionKeys,
  reader: SessionLogReader,
  id: string,
): Promise<SessionCompaction> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const view = await viewLog(objects, keys, id);
    if (view === undefined) throw sessionNotFound(id);
    const parts = [...(view.merged ? [view.merged] : []), ...view.appends];
    if (parts.length === 1) {
      await deleteAll(objects, view.leftovers);
      return { mergedCount: 0 };
    }
    const bytes = await mergedBytes(reader, id, view);
    // Somebody else has merged, or deleted, a part of it.
    if (bytes === undefined) continue;
    const key = keys.merged(id, view.position - 1);
    const outcome = await objects.putNew(mergedObject(key, createNonce(), bytes), bytes);
    if (outcome === "unsupported") throw noConditionalWrites(id);
    // Somebody else has made the very same.
    if (outcome === "taken") continue;
    if (!(await isStillThere(objects, keys, id, view, key))) {
      await objects.delete(key);
      throw sessionNotFound(id);
    }
    await deleteAll(objects, [...parts, ...view.leftovers]);
    return { mergedCount: parts.length };
  }
  throw neverAtRest(id);
}

/** All lines, then the nonce of each append; `undefined` if a part is no longer there. */
async function mergedBytes(
  reader: SessionLogReader,
  id: string,
  view: LogView,
): Promise<Uint8Array | undefined> {
  const byteCount = view.byteCount + view.position * NONCE_BYTES;
  if (byteCount > MAX_MERGED_BYTES) throw tooLarge(id, byteCount);
  const bytes = new Uint8Array(byteCount);
  const nonces = bytes.subarray(view.byteCount);
  const mergedLineBytes = view.merged?.lineBytes ?? 0;
  for await (const [fetch, part] of reader.fetch(logFetches(view))) {
    if (part === undefined) return undefined;
    const lineBytes = fetch.linesEnd - fetch.linesStart;
    bytes.set(part.bytes.subarray(0, lineBytes), fetch.linesStart);
    if (fetch.place !== undefined) nonces.set(nonceOf(part), fetch.place * NONCE_BYTES);
    else if (lineBytes < part.bytes.length) {
      nonces.set(part.bytes.subarray(lineBytes), fetch.start + lineBytes - mergedLineBytes);
    }
  }
  return bytes;
}

/** Whether the log that was merged has not been deleted: its beginning is there, or in another. */
async function isStillThere(
  objects: S3Objects,
  keys: SessionKeys,
  id: string,
  { merged, appends }: LogView,
  ownKey: string,
): Promise<boolean> {
  const firstKey = (merged ?? appends[0])?.key;
  for await (const { key } of objects.list(keys.log(id))) {
    if (key === firstKey) return true;
    if (key !== ownKey && keys.parse(key)?.type === "merged") return true;
  }
  return false;
}

function tooLarge(sessionId: string, byteCount: number): SessionError {
  return new SessionError(
    "unavailable",
    `session ${sessionId} would be an object of ${byteCount} bytes, ${MAX_MERGED_BYTES} are the most: ` +
      "leave it as it is, it can be read and continued",
    { sessionId },
  );
}
