import { asBuffer } from "./bytes.js";
import type { BlobIndex, SparsePositions, TextIndex } from "./blob-index.js";
import type { BlobStat } from "./blob-store.js";
import { runSumBytes } from "./checked-bytes.js";
import { type BlobDescription, encodeBlobIndex } from "./index-codec.js";
import type { JsonType } from "./json-bytes.js";
import { JsonIndexer, type JsonPartListener } from "./json-indexer.js";
import { LineScanner } from "./line-scanner.js";
import {
  BINARY_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  TEXT_MEDIA_TYPE,
  UNKNOWN_TEXT_MEDIA_TYPE,
  isJsonMediaType,
  isTextMediaType,
} from "./media-type.js";
import { NdjsonScanner } from "./ndjson-scanner.js";
import { partList } from "./part-list.js";
import type { SparseOffsets } from "./sparse-offsets.js";
import { Utf8Scanner } from "./utf8-scanner.js";

/** Smaller blobs have no index: scanning them is cheaper than reading a second file. */
export const MIN_INDEXED_BYTES = 262_144;
/** The encoded index is at most this share of the payload. */
export const MAX_INDEX_SHARE = 0.01;
/** Bytes of unknown type are called text if at most this share of them is not UTF-8. */
export const MAX_INVALID_SHARE = 0.1;

/** What is known beforehand. Without anything the bytes decide. */
export interface BlobIndexBuilderOptions {
  /** `text/*`: it is text. A JSON type: JSON if it parses. Any other type: it is binary. */
  readonly mediaType?: string | undefined;
  /**
   * The type of the content, which goes before what the media type says. `structured` that does
   * not parse is described as text; so is `binary` of a `text/*` type, to be read by lines.
   */
  readonly kind?: "text" | "structured" | "binary" | undefined;
}

/**
 * Describes a blob in one pass over its bytes: kind, exact totals, and an index if it is large.
 * Takes pieces cut anywhere, keeps none of them, and needs little memory whatever the size.
 */
export class BlobIndexBuilder {
  readonly #mediaType: string | undefined;
  readonly #isDeclaredText: boolean;
  readonly #isDeclaredBinary: boolean;
  #byteCount = 0;
  #json: JsonIndexer | undefined;
  #lines: LineScanner | undefined;
  readonly #ndjson = new NdjsonScanner();
  readonly #utf8 = new Utf8Scanner();

  /** @param listener gets the first parts of what may be JSON */
  constructor(options: BlobIndexBuilderOptions = {}, listener?: JsonPartListener) {
    const { mediaType, kind = kindOfMediaType(options.mediaType) } = options;
    this.#mediaType = mediaType;
    this.#isDeclaredText = kind === "text" || (kind === "binary" && isTextMediaType(mediaType));
    this.#isDeclaredBinary = kind === "binary" && !this.#isDeclaredText;
    if (kind === undefined || kind === "structured") {
      const values = kind === "structured" ? "one" : "container";
      this.#json = new JsonIndexer({ values }, listener);
    }
    if (!this.#isDeclaredBinary) this.#lines = new LineScanner();
  }

  /** Whether it may still turn out to be JSON. */
  get mayBeJson(): boolean {
    return this.#json !== undefined;
  }

  /** The types that the parts of a JSON array or object have, in order; of what is no JSON none. */
  get partTypes(): readonly JsonType[] {
    return this.#json?.partTypes ?? [];
  }

  /**
   * Takes the next piece.
   * @param text what the piece is the UTF-8 of, if that is at hand: its lines are found more quickly
   */
  write(piece: Uint8Array, text?: string): void {
    this.#byteCount += piece.length;
    if (this.#lines === undefined) return;
    // Neither JSON nor what is only taken for text holds NUL.
    if (!this.#isDeclaredText && asBuffer(piece).includes(0)) {
      this.#json = this.#lines = undefined;
      return;
    }
    this.#ndjson.write(piece);
    this.#json?.write(piece);
    if (this.#json?.hasFailed === true) this.#json = undefined;
    this.#lines.write(piece, text);
    // As it comes: to keep a place takes longer than to count a line.
    this.#lines.starts.thinTo(Math.max(MIN_LINES_KEPT, this.#byteCount / MIN_LINE_SPACING_BYTES));
    this.#utf8.write(piece);
  }

  /** Ends the input and tells what it was. */
  finish(): BlobDescription {
    this.#utf8.end();
    return this.#describeJson() ?? this.#describeText() ?? this.#describeBinary();
  }

  #describeJson(): BlobDescription | undefined {
    const json = this.#json;
    const shape = this.#utf8.invalidByteCount === 0 ? json?.end() : undefined;
    if (json === undefined || shape === undefined) return undefined;
    const mediaType = isJsonMediaType(this.#mediaType) ? this.#mediaType : JSON_MEDIA_TYPE;
    const stat: BlobStat = { ...shape, byteCount: this.#byteCount, mediaType };
    switch (shape.kind) {
      case "json_array":
        return withArrayIndex(stat, json);
      case "json_object":
        return withObjectIndex(stat, json);
      case "json_value":
        return { stat };
    }
  }

  #describeText(): BlobDescription | undefined {
    if (this.#lines === undefined) return undefined;
    const { invalidByteCount } = this.#utf8;
    const isText = this.#isDeclaredText || invalidByteCount <= this.#byteCount * MAX_INVALID_SHARE;
    if (!isText) return undefined;
    const isValid = invalidByteCount === 0;
    const foundType = isValid ? TEXT_MEDIA_TYPE : UNKNOWN_TEXT_MEDIA_TYPE;
    const entryCount = isValid ? this.#ndjson.end() : undefined;
    const stat: BlobStat = {
      kind: "text",
      byteCount: this.#byteCount,
      mediaType: isTextMediaType(this.#mediaType) ? this.#mediaType : foundType,
      lineCount: this.#lines.lineCount,
      ...(entryCount !== undefined && { entryCount }),
      ...(!isValid && { validUtf8: false }),
    };
    const hasOtherEntries = entryCount !== undefined && entryCount !== stat.lineCount;
    const entries = hasOtherEntries ? this.#ndjson.starts : undefined;
    return withTextIndex(stat, this.#lines.starts, entries);
  }

  #describeBinary(): BlobDescription {
    const mediaType = (this.#isDeclaredBinary ? this.#mediaType : undefined) ?? BINARY_MEDIA_TYPE;
    return { stat: { kind: "binary", byteCount: this.#byteCount, mediaType } };
  }
}

function kindOfMediaType(mediaType: string | undefined): BlobIndexBuilderOptions["kind"] {
  if (mediaType === undefined) return undefined;
  if (isJsonMediaType(mediaType)) return "structured";
  return isTextMediaType(mediaType) ? "text" : "binary";
}

function withTextIndex(
  stat: BlobStat,
  lines: SparseOffsets,
  entries: SparseOffsets | undefined,
): BlobDescription {
  if (stat.byteCount < MIN_INDEXED_BYTES) return { stat };
  for (const starts of [lines, entries]) starts?.thinTo(stat.byteCount / MIN_LINE_SPACING_BYTES);
  const index: TextIndex = {
    type: "text",
    ...positionsOf(lines),
    ...(entries && { entries: positionsOf(entries) }),
  };
  return { stat, index };
}

/**
 * On average the lines whose places are kept are so far apart: to look through as much costs little
 * beside reading it. Such an index takes a fraction of its share.
 */
const MIN_LINE_SPACING_BYTES = 4096;
/** While a text comes at least so many are kept: its lines may become longer. */
const MIN_LINES_KEPT = 2048;

function positionsOf({ stride, offsets }: SparseOffsets): SparsePositions {
  return { stride, offsets };
}

/**
 * An index is read whole before an answer, so it stays small however large the payload is. Over S3 it comes
 * with a checksum for each 64 KiB, 30 KB for 500 MB, and what is looked for lies in two of those: a quarter of
 * a MiB in all.
 */
const MAX_INDEX_BYTES = 100_000;
/** The list of members gets at most this share of the index of an object. */
const MEMBERS_SHARE = 0.85;

function withArrayIndex(stat: BlobStat, json: JsonIndexer): BlobDescription {
  if (stat.byteCount < MIN_INDEXED_BYTES) return { stat };
  const empty: BlobIndex = { type: "json_array", parts: partList([]) };
  const parts = json.parts(roomBeside(stat, empty), "searched");
  return { stat, index: { ...empty, parts: partList(parts) } };
}

function withObjectIndex(stat: BlobStat, json: JsonIndexer): BlobDescription {
  if (stat.byteCount < MIN_INDEXED_BYTES) return { stat };
  const members = json.members(maxIndexBytes(stat) * MEMBERS_SHARE);
  const listed = members && { members };
  const empty: BlobIndex = { type: "json_object", parts: partList([]), ...listed };
  const room = roomBeside(stat, empty);
  const parts = json.parts(room, members ? "listed" : "searched");
  return { stat, index: { ...empty, parts: partList(parts) } };
}

/** Bytes that the parts may take, with what checks them. */
function roomBeside(stat: BlobStat, index: BlobIndex): number {
  const room = maxIndexBytes(stat) - encodeBlobIndex({ stat, index }).length - LENGTHS_BYTES;
  return room - runSumBytes(Math.max(0, room));
}

/** What the lengths of a body and a head that are longer may take more. */
const LENGTHS_BYTES = 16;

function maxIndexBytes({ byteCount }: BlobStat): number {
  return Math.min(Math.floor(byteCount * MAX_INDEX_SHARE), MAX_INDEX_BYTES);
}
