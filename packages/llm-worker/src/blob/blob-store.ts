import type { Content } from "./content.js";
import type { BlobIndex } from "./blob-index.js";

/**
 * Identifies a blob. Shipped stores hand out UUID v7 in lower case; treat it as opaque. Any other text of
 * one line and at most 128 bytes will do.
 */
export type BlobId = string;

/**
 * How a blob can be read.
 *
 * - `text`: by lines. Also bytes of a `text/*` media type that are not valid UTF-8.
 * - `json_array`, `json_object`: by entries or keys. `json_value`: any other JSON.
 * - `binary`: by bytes only.
 */
export type BlobKind = "text" | "json_array" | "json_object" | "json_value" | "binary";

/** What is known of a blob without reading it. Sizes are exact. */
export interface BlobStat {
  readonly kind: BlobKind;
  /** Payload size in bytes. */
  readonly byteCount: number;
  readonly mediaType: string;
  /** `text` only: lines as an editor shows them; a final newline opens no new line. */
  readonly lineCount?: number | undefined;
  /** `json_array`: number of elements. `text`: that of its JSON values, if each line is one (NDJSON). */
  readonly entryCount?: number | undefined;
  /** `json_object` only: number of members, duplicate keys counted once each time they occur. */
  readonly keyCount?: number | undefined;
  /** `false` where the bytes are not valid UTF-8. Absent: valid, or binary. */
  readonly validUtf8?: boolean | undefined;
}

/** Reads parts of one stored blob. Close it when done; reads after that reject. */
export interface BlobReader {
  readonly stat: BlobStat;
  /** Where lines, elements or keys begin, if the store has it. Without it readers scan. */
  readonly index?: BlobIndex | undefined;
  /**
   * The bytes of `[start, end)`, clamped to the blob. May be shorter only at the end of the blob.
   *
   * @param into memory that the bytes may be put into if they fit, so that many reads can share it; a
   * reader need not use it, and what is resolved to tells where they are
   * @throws an error with `code` `not_found` if the blob has been deleted since, `unavailable` if
   * the store cannot be reached, `corrupt` if what is there is not what was stored
   */
  read(start: number, end: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** How a streamed write is to be taken. */
export interface BlobWriterOptions {
  /**
   * `auto` (default): JSON if the whole stream is one JSON array or object, else text if it is
   * mostly text, else binary. A media type that is not text or JSON makes it binary.
   */
  readonly mediaType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A write of unknown length. Nothing is visible in the store before `commit` has resolved, and
 * after `abort` nothing is left of it. `write` resolves when more can be taken (back-pressure), and
 * when the chunk's memory may be used again.
 */
export interface BlobWriter {
  write(chunk: Uint8Array): Promise<void>;
  commit(): Promise<{ readonly id: BlobId; readonly stat: BlobStat }>;
  abort(): Promise<void>;
}

/** One row of a listing. */
export interface BlobEntry {
  readonly id: BlobId;
  readonly byteCount: number;
  /** Milliseconds since the epoch. */
  readonly storedAtMs: number;
}

/**
 * What the worker needs of a store. The three methods are enough; the optional capabilities,
 * each asked for by presence, make reads O(answer) and writes bounded in memory.
 *
 * Errors carry a `code`: `not_found`, `forbidden`, `unavailable`, `corrupt`, `invalid_id`,
 * `no_space`, `closed`. Callers look at `code`, never at the class.
 */
export interface BlobStoreLike {
  store(content: Content): Promise<BlobId>;
  load(id: BlobId): Promise<Content>;
  exists(id: BlobId): Promise<boolean>;

  stat?(id: BlobId): Promise<BlobStat>;
  openReader?(id: BlobId): Promise<BlobReader>;
  openWriter?(options?: BlobWriterOptions): Promise<BlobWriter>;
  /** Resolves to `true` if there was something to delete. */
  delete?(id: BlobId): Promise<boolean>;
  list?(): AsyncIterable<BlobEntry>;
}

/** Codes that the errors of any store may carry. */
export type BlobStoreErrorCode =
  | "not_found"
  | "forbidden"
  | "unavailable"
  | "corrupt"
  | "invalid_id"
  | "no_space";

/** The `code` of whatever a store threw, or `unavailable` for an error without a known one. */
export function blobStoreErrorCode(thrown: unknown): BlobStoreErrorCode {
  const code: unknown =
    typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  switch (code) {
    case "not_found":
    case "forbidden":
    case "unavailable":
    case "corrupt":
    case "invalid_id":
    case "no_space":
      return code;
    default:
      return "unavailable";
  }
}
