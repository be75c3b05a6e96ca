import { Buffer, constants } from "node:buffer";
import { ReaderClosedError } from "./blob-error.js";
import { asBuffer } from "./bytes.js";
import type { BlobIndex } from "./blob-index.js";
import type { BlobId, BlobReader, BlobStat, BlobStoreLike } from "./blob-store.js";
import { type Content, structuredContent } from "./content.js";
import { BlobIndexBuilder, type BlobIndexBuilderOptions } from "./index-builder.js";
import type { BlobDescription } from "./index-codec.js";

/**
 * The payload of a blob: UTF-8 of a text or of the JSON text, bytes as they are. Lone surrogates,
 * which UTF-8 cannot say, become U+FFFD.
 */
export function contentBytes(content: Content): Uint8Array {
  switch (content.type) {
    case "text":
      return Buffer.from(content.text.toWellFormed());
    case "structured":
      return Buffer.from(content.raw.toWellFormed());
    case "binary":
      return content.bytes;
  }
}

/**
 * What `contentBytes` made the bytes of, by what is known of the blob. Text that is not valid UTF-8
 * is binary with its `text/` media type. So is what is too long for a string, with the media type
 * that it has. Binary content shares the memory of `bytes`.
 */
export function contentOf(stat: BlobStat, bytes: Uint8Array): Content {
  const isString =
    stat.kind !== "binary" &&
    stat.validUtf8 !== false &&
    bytes.length <= constants.MAX_STRING_LENGTH;
  if (!isString) return { type: "binary", bytes, mediaType: stat.mediaType };
  const text = asBuffer(bytes).toString("utf8");
  return stat.kind === "text" ? { type: "text", text } : structuredContent(text);
}

/**
 * Reads bytes in memory as a blob. What it gives out shares their memory.
 *
 * @param stat worked out from the bytes if absent, and the index with it
 */
export function createBytesReader(
  bytes: Uint8Array,
  stat?: BlobStat,
  index?: BlobIndex,
): BlobReader {
  return readerOf(bytes, stat === undefined ? describeBytes(bytes) : { stat, index });
}

/**
 * Opens a blob of any store: by ranges if the store can, else by loading it whole.
 *
 * @throws what the store throws
 */
export async function openBlobReader(store: BlobStoreLike, id: BlobId): Promise<BlobReader> {
  if (store.openReader !== undefined) return store.openReader(id);
  const content = await store.load(id);
  const bytes = contentBytes(content);
  const mediaType = content.type === "binary" ? content.mediaType : undefined;
  return readerOf(bytes, describeBytes(bytes, { kind: content.type, mediaType }));
}

/** Bytes that a builder gets at once: small enough to stay in the processor's cache meanwhile. */
const PIECE_BYTES = 262_144;

function describeBytes(bytes: Uint8Array, options?: BlobIndexBuilderOptions): BlobDescription {
  const builder = new BlobIndexBuilder(options);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    builder.write(bytes.subarray(at, at + PIECE_BYTES));
  }
  return builder.finish();
}

function readerOf(bytes: Uint8Array, { stat, index }: BlobDescription): BlobReader {
  let isClosed = false;
  return {
    stat,
    index,
    read(start: number, end: number): Promise<Uint8Array> {
      if (isClosed) return Promise.reject(new ReaderClosedError());
      const from = Math.max(0, start);
      return Promise.resolve(bytes.subarray(from, Math.max(from, end)));
    },
    close(): Promise<void> {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
