import { Buffer } from "node:buffer";
import type { BlobIndex, SparsePositions } from "./blob-index.js";
import type { BlobKind, BlobStat } from "./blob-store.js";
import { asBuffer } from "./bytes.js";
import { CheckedBytes, checksumOf, runSumBytes, runSums } from "./checked-bytes.js";
import { IndexCursor } from "./index-cursor.js";
import { readMembers, writeMembers } from "./member-list.js";
import { readNumbers, writeNumbers } from "./packed-numbers.js";
import { readParts, writeParts } from "./part-codec.js";
import { escapeText, unescapeText } from "./text-codec.js";
import { VarintWriter } from "./varint.js";

/** What is known of a blob; what a store keeps beside it. */
export interface BlobDescription {
  readonly stat: BlobStat;
  /** Absent for small blobs, and for those that have nothing to index. */
  readonly index?: BlobIndex | undefined;
}

/**
 * Then come the version, the checksum of the head, and its length (32 bits each, little-endian); the
 * head: the stat, the length of the body, and the checksums of its runs; and the body: the index.
 */
const MAGIC = Buffer.from("LWBI").readUInt32LE();
const VERSION = 5;
const VERSION_AT = 4;
const SUM_AT = VERSION_AT + 1;
const LENGTH_AT = SUM_AT + 4;
const HEAD_AT = LENGTH_AT + 4;

// What stands for a member is its position: append only.
const KINDS: readonly BlobKind[] = ["text", "json_array", "json_object", "json_value", "binary"];
const INDEX_TYPES: readonly (BlobIndex["type"] | undefined)[] = [
  undefined,
  "text",
  "json_array",
  "json_object",
];
const UTF8_VALIDITY: readonly BlobStat["validUtf8"][] = [undefined, false, true];

/** Writes a description as a few bytes: of an index about three per line or element that it keeps. */
export function encodeBlobIndex({ stat, index }: BlobDescription): Uint8Array {
  const body = new VarintWriter();
  if (index !== undefined) writeIndex(body, index);
  const head = new VarintWriter();
  writeStat(head, stat);
  head.uint(INDEX_TYPES.indexOf(index?.type));
  head.uint(body.bytes.length);
  head.raw(runSums(body.bytes));
  const start = Buffer.alloc(HEAD_AT);
  start.writeUInt32LE(MAGIC);
  start[VERSION_AT] = VERSION;
  start.writeUInt32LE(checksumOf(head.bytes), SUM_AT);
  start.writeUInt32LE(head.bytes.length, LENGTH_AT);
  return Buffer.concat([start, head.bytes, body.bytes]);
}

/**
 * Reads what {@link encodeBlobIndex} wrote. `undefined` for anything else, be it broken, cut, or of
 * another version: the description has to be made anew, with a `BlobIndexBuilder`. Never throws.
 * What it gives shares the memory of `bytes`.
 */
export function decodeBlobIndex(bytes: Uint8Array): BlobDescription | undefined {
  const opened = openDescription(bytes);
  return opened?.body.isIntact() === true ? opened.description : undefined;
}

/**
 * The same without a look at the whole index: what a later look needs is checked by that. If it is
 * broken the look throws a `CorruptIndexError`, after `onCorrupt` was called.
 */
export function openBlobIndex(
  bytes: Uint8Array,
  onCorrupt?: () => void,
): BlobDescription | undefined {
  return openDescription(bytes, onCorrupt)?.description;
}

/** What is known of an index that is looked into where it lies. */
export interface OpenedIndex {
  /** Memory that it holds, with all that lies in the same buffer. */
  readonly byteCount: number;
  /** A look has found it broken. */
  readonly isBroken: boolean;
}

const openedIndexes = new WeakMap<BlobIndex, OpenedIndex>();

/** What is known of an index that `openBlobIndex` or `decodeBlobIndex` gave; `undefined` for any other. */
export function openedIndex(index: BlobIndex): OpenedIndex | undefined {
  return openedIndexes.get(index);
}

interface Opened {
  readonly description: BlobDescription;
  readonly body: CheckedBytes;
}

function openDescription(bytes: Uint8Array, onCorrupt?: () => void): Opened | undefined {
  if (bytes.length < HEAD_AT) return undefined;
  const buffer = asBuffer(bytes);
  if (buffer.readUInt32LE() !== MAGIC || buffer[VERSION_AT] !== VERSION) return undefined;
  const headEnd = HEAD_AT + buffer.readUInt32LE(LENGTH_AT);
  if (headEnd > buffer.length) return undefined;
  const head = buffer.subarray(HEAD_AT, headEnd);
  if (checksumOf(head) !== buffer.readUInt32LE(SUM_AT)) return undefined;
  try {
    const cursor = new IndexCursor(new CheckedBytes(head));
    const stat = readStat(cursor);
    const type = memberAt(INDEX_TYPES, cursor.uint());
    const bodyBytes = cursor.uint();
    if (headEnd + bodyBytes !== buffer.length) return undefined;
    const sumsAt = cursor.skip(runSumBytes(bodyBytes));
    if (cursor.position !== head.length) return undefined;
    const state = { byteCount: bytes.buffer.byteLength, isBroken: false };
    const body = new CheckedBytes(buffer.subarray(headEnd), head.subarray(sumsAt), () => {
      state.isBroken = true;
      onCorrupt?.();
    });
    if (type === undefined) return { description: { stat }, body };
    const index = readIndex(new IndexCursor(body), type);
    openedIndexes.set(index, state);
    return { description: { stat, index }, body };
  } catch {
    return undefined;
  }
}

function writeStat(to: VarintWriter, stat: BlobStat): void {
  to.uint(KINDS.indexOf(stat.kind));
  to.uint(stat.byteCount);
  to.text(escapeText(stat.mediaType));
  to.uint(UTF8_VALIDITY.indexOf(stat.validUtf8));
  for (const count of [stat.lineCount, stat.entryCount, stat.keyCount]) {
    to.uint(count === undefined ? 0 : count + 1);
  }
}

function readStat(from: IndexCursor): BlobStat {
  const kind = memberAt(KINDS, from.uint());
  const byteCount = from.uint();
  const mediaType = unescapeText(from.text());
  const validUtf8 = memberAt(UTF8_VALIDITY, from.uint());
  const [lineCount, entryCount, keyCount] = [from.uint(), from.uint(), from.uint()];
  return {
    kind,
    byteCount,
    mediaType,
    ...(lineCount > 0 && { lineCount: lineCount - 1 }),
    ...(entryCount > 0 && { entryCount: entryCount - 1 }),
    ...(keyCount > 0 && { keyCount: keyCount - 1 }),
    ...(validUtf8 !== undefined && { validUtf8 }),
  };
}

function writeIndex(to: VarintWriter, index: BlobIndex): void {
  switch (index.type) {
    case "text":
      writePositions(to, index);
      to.uint(index.entries === undefined ? 0 : 1);
      if (index.entries !== undefined) writePositions(to, index.entries);
      return;
    case "json_array":
      return writeParts(to, index.parts);
    case "json_object":
      to.uint(index.members === undefined ? 0 : 1);
      if (index.members !== undefined) writeMembers(to, index.members);
      return writeParts(to, index.parts);
  }
}

function readIndex(from: IndexCursor, type: BlobIndex["type"]): BlobIndex {
  switch (type) {
    case "text": {
      const lines = readPositions(from);
      return from.uint() === 0
        ? { type, ...lines }
        : { type, ...lines, entries: readPositions(from) };
    }
    case "json_array":
      return { type, parts: readParts(from) };
    case "json_object": {
      const members = from.uint() === 0 ? undefined : readMembers(from);
      const parts = readParts(from);
      return members === undefined ? { type, parts } : { type, members, parts };
    }
  }
}

function writePositions(to: VarintWriter, { stride, offsets }: SparsePositions): void {
  to.uint(stride);
  writeNumbers(to, offsets);
}

function readPositions(from: IndexCursor): SparsePositions {
  return { stride: from.uint(), offsets: readNumbers(from) };
}

function memberAt<T>(members: readonly T[], position: number): T {
  if (position >= members.length) throw new RangeError("no such member");
  return members[position] as T; // below the length
}
