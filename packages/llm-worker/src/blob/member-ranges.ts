import { Buffer } from "node:buffer";
import type { ObjectIndex, ObjectIndexEntry, PartIndex } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import { asBuffer, type ByteSpan } from "./bytes.js";
import { jsonTypeOf, type JsonType } from "./json-bytes.js";
import { JsonPartScanner, type JsonMember } from "./json-part-scanner.js";
import { expectType, isWhole, runScan, unexpectedType } from "./json-scan.js";
import { keyTest } from "./key-blocks.js";
import { endOfValueBefore, partAt, partOf } from "./part-lookup.js";
import { ReaderMemo } from "./reader-memo.js";
import { SCAN_READ_BYTES } from "./read-pieces.js";

/** Longer keys are listed without their text. In UTF-16 units. */
export const MAX_LISTED_KEY_UNITS = 65_536;

/** A member of an object: its key, and the type and bytes of its value. */
export interface MemberEntry extends ByteSpan {
  /** `undefined` if it is longer than {@link MAX_LISTED_KEY_UNITS}. */
  readonly key: string | undefined;
  readonly type: JsonType | undefined;
}

export interface MemberListing {
  /** The first members in order, keys that occur again included. */
  readonly members: readonly MemberEntry[];
  /** How many there are in all. */
  readonly memberCount: number;
}

const foundMembers = new ReaderMemo<{ readonly range: ByteSpan | undefined }>();
const memberCounts = new ReaderMemo<number>();

/**
 * The bytes of the value of a key in the object that takes up the span: the whole blob, or a value
 * in it. `undefined` if it has no such key. Of a key that occurs more than once the last counts, as
 * for `JSON.parse`. With a complete index nothing is read; otherwise those blocks of members are
 * scanned that the index says may have it, or all, without the big values that the index knows.
 */
export async function memberRange(
  reader: BlobReader,
  span: ByteSpan,
  key: string,
): Promise<ByteSpan | undefined> {
  const index = objectIndexOf(reader, span);
  const indexed = index?.entries.findLast((entry) => entry.key === key);
  if (indexed !== undefined) return { start: indexed.start, end: indexed.end };
  if (index?.complete === true) return undefined;
  const found = foundMembers.get(reader, span, key);
  if (found !== undefined) return found.range;

  const part = partOf(reader, span);
  const range =
    part === undefined ? await findInAll(reader, span, key) : await findInBlocks(reader, part, key);
  foundMembers.set(reader, span, { range }, key);
  return range;
}

async function findInAll(
  reader: BlobReader,
  span: ByteSpan,
  key: string,
): Promise<ByteSpan | undefined> {
  let range: ByteSpan | undefined;
  const memberCount = await scanMembers(reader, span, key.length, (member) => {
    if (member.key === key) range = { start: member.start, end: member.end };
    return true;
  });
  memberCounts.set(reader, span, memberCount);
  return range;
}

/** Backwards: the last block that has the key has the occurrence that counts. */
async function findInBlocks(
  reader: BlobReader,
  part: PartIndex,
  key: string,
): Promise<ByteSpan | undefined> {
  const { type, start, offsets, blocks } = part;
  if (type !== "object") throw unexpectedType(start, "object", type);
  const mayHold = keyTest(key, blocks?.hashCount ?? 0);
  const written = Buffer.from(JSON.stringify(key));
  for (let block = offsets.length; block >= 0; block--) {
    if (!mayHold(blocks?.blocks[block])) continue;
    const lastAt = await lastWritten(reader, part, block, written);
    if (lastAt === -1) continue;
    let range: ByteSpan | undefined;
    await scanBlock(reader, part, block, key.length, (member) => {
      if (member.key === key) range = { start: member.start, end: member.end };
      return member.end <= lastAt;
    });
    if (range !== undefined) return range;
  }
  return undefined;
}

/** Larger blocks have a large value, which a scan leaves out. */
const MAX_SEARCHED_BLOCK_BYTES = SCAN_READ_BYTES;
const BACKSLASH = 0x5c;

/**
 * The byte up to which a block has to be scanned for a key: where it is last written as it usually
 * is, or -1 if nowhere. A search for bytes is many times as fast as a scan, above all in a process
 * that has not scanned before. Where escapes are it does not tell: any of them may stand for a part
 * of the key.
 */
async function lastWritten(
  reader: BlobReader,
  { start, end, offsets }: PartIndex,
  block: number,
  written: Uint8Array,
): Promise<number> {
  const blockStart = offsets[block - 1] ?? start;
  const blockEnd = offsets[block] ?? end;
  if (blockEnd - blockStart > MAX_SEARCHED_BLOCK_BYTES) return Infinity;
  const bytes = asBuffer(await reader.read(blockStart, blockEnd));
  if (bytes.includes(BACKSLASH)) return Infinity;
  const at = bytes.lastIndexOf(written);
  return at === -1 ? -1 : blockStart + at;
}

/** Visits the members of a block in order until told to stop. */
async function scanBlock(
  reader: BlobReader,
  part: PartIndex,
  block: number,
  maxKeyUnits: number,
  visit: (member: JsonMember) => boolean,
): Promise<void> {
  const { offsets, spacing, end } = part;
  const begin = offsets[block - 1];
  const blockEnd = offsets[block];
  const parts: JsonPartScanner = new JsonPartScanner(
    {
      onMember: (member) => {
        if (!visit(member)) parts.stop();
      },
    },
    begin === undefined
      ? { base: part.start, maxKeyUnits }
      : { base: begin, at: "member", maxKeyUnits },
  );
  await runScan(reader, parts, end, {
    blockEnd,
    endOfValue: async (start, position) => {
      const nested = partAt(reader, start);
      if (nested !== undefined) return nested.end;
      // So large a value is the last of its block.
      const isLast = position - start >= spacing;
      return isLast ? endOfValueBefore(reader, blockEnd ?? end) : undefined;
    },
  });
}

/** Bounds of a listing. */
export interface MemberKeysOptions {
  /** Where the count is known, no members after so many bytes. Default: no limit. */
  readonly maxBytes?: number | undefined;
}

/**
 * Lists the first `maxMembers` members of the object that takes up the span, and counts all. Where
 * the count is known, from the blob's description or an earlier scan, it stops after the last listed.
 */
export async function memberKeys(
  reader: BlobReader,
  span: ByteSpan,
  maxMembers: number,
  options: MemberKeysOptions = {},
): Promise<MemberListing> {
  const knownCount =
    (isWhole(reader, span) ? reader.stat.keyCount : undefined) ??
    partOf(reader, span)?.count ??
    memberCounts.get(reader, span);
  const listedEnd = span.start + (options.maxBytes ?? Infinity);
  const members: MemberEntry[] = [];
  if (knownCount !== undefined && maxMembers <= 0) return { members, memberCount: knownCount };
  const scannedCount = await scanMembers(reader, span, MAX_LISTED_KEY_UNITS, (member) => {
    if (members.length < maxMembers) members.push(entryOf(member));
    return knownCount === undefined || (members.length < maxMembers && member.end < listedEnd);
  });
  const memberCount = knownCount ?? scannedCount;
  memberCounts.set(reader, span, memberCount);
  return { members, memberCount };
}

function entryOf({ key, start, end, firstByte }: JsonMember): MemberEntry {
  return { key, start, end, type: jsonTypeOf(firstByte) };
}

/** Visits members in order until told to stop. Resolves to how many were visited. */
async function scanMembers(
  reader: BlobReader,
  span: ByteSpan,
  maxKeyUnits: number,
  visit: (member: JsonMember) => boolean,
): Promise<number> {
  await expectType(reader, span, "object");
  const entries = objectIndexOf(reader, span)?.entries ?? [];
  let count = 0;
  const parts: JsonPartScanner = new JsonPartScanner(
    {
      onMember: (member) => {
        count++;
        if (!visit(member)) parts.stop();
      },
    },
    { base: span.start, maxKeyUnits },
  );
  await runScan(reader, parts, span.end, {
    endOfValue: async (start) => entryAt(entries, start)?.end ?? partAt(reader, start)?.end,
  });
  return count;
}

function objectIndexOf(reader: BlobReader, span: ByteSpan): ObjectIndex | undefined {
  const { index } = reader;
  return index?.type === "json_object" && isWhole(reader, span) ? index : undefined;
}

function entryAt(
  entries: readonly ObjectIndexEntry[],
  start: number,
): ObjectIndexEntry | undefined {
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle] as ObjectIndexEntry; // within
    if (entry.start === start) return entry;
    if (entry.start < start) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
