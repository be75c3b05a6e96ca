import { Buffer } from "node:buffer";
import { asBuffer } from "./bytes.js";
import type { BlobIndex, ObjectIndex, ObjectIndexEntry, SparsePositions } from "./blob-index.js";
import type { BlobKind, BlobStat } from "./blob-store.js";
import { crc32 } from "./crc32.js";
import { readParts, writeParts } from "./part-codec.js";
import { escapeText, unescapeText } from "./text-codec.js";
import { VarintReader, VarintWriter, uintSize } from "./varint.js";

/** What is known of a blob; what a store keeps beside it. */
export interface BlobDescription {
  readonly stat: BlobStat;
  /** Absent for small blobs, and for those that have nothing to index. */
  readonly index?: BlobIndex | undefined;
}

/**
 * Then come the version, CRC-32 (little-endian) of the version and the rest, and the rest: varints and
 * texts. In the first version the CRC is of the rest alone.
 */
const MAGIC = Buffer.from("LWBI");
const VERSION = 2;
/** Differs in the index of JSON only, which then has to be made anew. */
const FIRST_VERSION = 1;
const CRC_START = MAGIC.length + 1;
const BODY_START = CRC_START + 4;

// What stands for a member is its position: append only.
const KINDS: readonly BlobKind[] = ["text", "json_array", "json_object", "json_value", "binary"];
const INDEX_TYPES: readonly (BlobIndex["type"] | undefined)[] = [
  undefined,
  "text",
  "json_array",
  "json_object",
];
const UTF8_VALIDITY: readonly BlobStat["validUtf8"][] = [undefined, false, true];

/** Writes a description as a few bytes: of an index about two per line or element that it keeps. */
export function encodeBlobIndex(description: BlobDescription): Uint8Array {
  const body = new VarintWriter();
  writeStat(body, description.stat);
  writeIndex(body, description.index);
  const bytes = Buffer.alloc(BODY_START + body.bytes.length);
  bytes.set(MAGIC);
  bytes[MAGIC.length] = VERSION;
  bytes.writeUInt32LE(checksum(VERSION, body.bytes), CRC_START);
  bytes.set(body.bytes, BODY_START);
  return bytes;
}

/**
 * Reads what {@link encodeBlobIndex} wrote. `undefined` for anything else, be it broken, cut, or of
 * another version: the description has to be made anew, with a `BlobIndexBuilder`. Never throws.
 */
export function decodeBlobIndex(bytes: Uint8Array): BlobDescription | undefined {
  if (bytes.length < BODY_START) return undefined;
  const header = asBuffer(bytes.subarray(0, BODY_START));
  const body = bytes.subarray(BODY_START);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const version = header[MAGIC.length];
  if (version !== VERSION && version !== FIRST_VERSION) return undefined;
  if (header.readUInt32LE(CRC_START) !== checksum(version, body)) return undefined;
  try {
    const reader = new VarintReader(body);
    const stat = readStat(reader);
    const index = readIndex(reader, version);
    if (reader.remaining > 0) return undefined;
    return index === undefined ? { stat } : { stat, index };
  } catch {
    return undefined;
  }
}

function checksum(version: number, body: Uint8Array): number {
  return version === FIRST_VERSION ? crc32(body) : crc32(body, crc32(Uint8Array.of(version)));
}

/** At most this many bytes of the encoded index are spent on the entry. */
export function encodedEntrySize({ key, start, end }: ObjectIndexEntry): number {
  const keySize = Buffer.byteLength(escapeText(key));
  return uintSize(keySize) + keySize + uintSize(start) + uintSize(end - start);
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

function readStat(from: VarintReader): BlobStat {
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

function writeIndex(to: VarintWriter, index: BlobIndex | undefined): void {
  to.uint(INDEX_TYPES.indexOf(index?.type));
  if (index === undefined) return;
  if (index.type === "json_object") writeObjectIndex(to, index);
  if (index.type !== "text") return writeParts(to, index.parts);
  writePositions(to, index);
  to.uint(index.entries === undefined ? 0 : 1);
  if (index.entries !== undefined) writePositions(to, index.entries);
}

function writePositions(to: VarintWriter, { stride, offsets }: SparsePositions): void {
  to.uint(stride);
  to.uint(offsets.length);
  let before = 0;
  for (const offset of offsets) {
    to.uint(offset - before);
    before = offset;
  }
}

function readIndex(from: VarintReader, version: number): BlobIndex | undefined {
  const type = memberAt(INDEX_TYPES, from.uint());
  if (type === undefined) return undefined;
  if (type !== "text" && version < VERSION) throw new RangeError("an index of an old version");
  if (type === "json_array") return { type, parts: readParts(from) };
  if (type === "json_object") return readObjectIndex(from);
  const lines = readPositions(from);
  const hasEntries = version >= VERSION && from.uint() === 1;
  return hasEntries ? { type, ...lines, entries: readPositions(from) } : { type, ...lines };
}

function readPositions(from: VarintReader): SparsePositions {
  const stride = from.uint();
  const length = from.uint();
  // Each takes a byte at least: no broken length makes a giant array.
  if (stride === 0 || length > from.remaining) throw new RangeError("no such index");
  return { stride, offsets: from.increasing(length, 0) };
}

function writeObjectIndex(to: VarintWriter, index: ObjectIndex): void {
  to.uint(index.complete ? 1 : 0);
  to.uint(index.entries.length);
  let before = 0;
  for (const { key, start, end } of index.entries) {
    to.text(escapeText(key));
    to.uint(start - before);
    to.uint(end - start);
    before = end;
  }
}

function readObjectIndex(from: VarintReader): ObjectIndex {
  const complete = from.uint() === 1;
  const length = from.uint();
  const entries: ObjectIndexEntry[] = [];
  let before = 0;
  for (let position = 0; position < length; position++) {
    const key = unescapeText(from.text());
    const start = before + from.uint();
    const end = start + from.uint();
    entries.push({ key, start, end });
    before = end;
  }
  return { type: "json_object", complete, entries, parts: readParts(from) };
}

function memberAt<T>(members: readonly T[], position: number): T {
  if (position >= members.length) throw new RangeError("no such member");
  return members[position] as T; // below the length
}
