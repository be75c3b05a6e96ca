import type { BlobId, BlobStat, BlobStoreLike, BlobWriter } from "../blob/blob-store.js";
import type { Content, TextContent } from "../blob/content.js";
import { TEXT_MEDIA_TYPE } from "../blob/media-type.js";
import { isHighSurrogate } from "./grapheme.js";
import { assertBlobId, type Deadline, withDeadline } from "./store-deadline.js";

/** From here on a text is written in pieces: to count it apart takes longer than to ask for a writer. */
export const LARGE_TEXT_UNITS: number = 16 * 1024 * 1024;

/** As much as stores write at once. */
const PIECE_BYTES = 262_144;

/** A store that takes streams. */
export type StreamStore = BlobStoreLike & Required<Pick<BlobStoreLike, "openWriter">>;

/** Whether content is a text that is better written in pieces. */
export function isLargeText(content: Content): content is TextContent {
  return content.type === "text" && content.text.length >= LARGE_TEXT_UNITS;
}

/** Whether a store takes streams. */
export function takesStreams(store: BlobStoreLike): store is StreamStore {
  return store.openWriter !== undefined;
}

/**
 * Writes a well-formed text to a store whose writer counts it on the way. A piece is encoded while the
 * one before it is written; no other copy of the text is made.
 *
 * @throws StoreTimeoutError, or what the store throws; nothing is left of the text then
 */
export async function writeText(
  store: StreamStore,
  text: string,
  deadline: Deadline,
): Promise<{ readonly id: BlobId; readonly stat: BlobStat }> {
  const writer = await withDeadline(
    () => store.openWriter({ mediaType: TEXT_MEDIA_TYPE }),
    deadline,
    (late) => late.abort(),
  );
  try {
    let writing: Promise<void> = Promise.resolve();
    for (const piece of encodedPieces(text)) {
      await writing;
      writing = withDeadline(() => writer.write(piece), deadline);
      // Awaited above or below: between them the next piece is encoded.
      writing.catch(() => undefined);
    }
    await writing;
    return await commitBlob(store, writer, deadline);
  } catch (error) {
    // The store has failed already: it is told to clean up, and not waited for.
    void abandon(writer);
    throw error;
  }
}

/**
 * Ends a blob within the deadline; one that is there later is deleted.
 *
 * @throws StoreTimeoutError, TypeError if the store gives no id, or what the store throws
 */
export async function commitBlob(
  store: BlobStoreLike,
  writer: BlobWriter,
  deadline: Deadline,
): ReturnType<BlobWriter["commit"]> {
  const stored = await withDeadline(
    () => writer.commit(),
    deadline,
    (late) => store.delete?.(late.id),
  );
  assertBlobId(stored.id);
  return stored;
}

/** Tells a writer to clean up. What it then leaves behind is for the clean-up of its store. */
export async function abandon(writer: BlobWriter): Promise<void> {
  try {
    await writer.abort();
  } catch {
    // See above.
  }
}

/** Two buffers in turn: a piece is valid until the next but one is asked for. */
function* encodedPieces(text: string): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let current = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let other = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + PIECE_BYTES);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    const { read, written } = encoder.encodeInto(text.slice(start, end), current);
    start += read;
    yield current.subarray(0, written);
    [current, other] = [other, current];
  }
}
