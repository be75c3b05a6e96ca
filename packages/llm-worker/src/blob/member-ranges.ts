import type { MemberList, ObjectIndexEntry } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { jsonTypeOf, type JsonType } from "./json-bytes.js";
import type { JsonMember } from "./json-part-scanner.js";
import { expectType, isWhole, unexpectedType } from "./json-scan.js";
import { lastAtOrBefore, mapLookup } from "./lookup.js";
import { findInBlocks } from "./member-blocks.js";
import { visitMembers } from "./member-scan.js";
import { countedParts, keepPartCount, keepCountOfValue } from "./part-counts.js";
import { partOf } from "./part-lookup.js";
import { ReaderMemo } from "./reader-memo.js";

/** Longer keys are listed without their text. In UTF-16 units. */
export const MAX_LISTED_KEY_UNITS = 65_536;

/** A member of an object: its key, and the type and bytes of its value. */
export interface MemberEntry extends ByteSpan {
  /** `undefined` if it is longer than {@link MAX_LISTED_KEY_UNITS}. */
  readonly key: string | undefined;
  readonly type: JsonType | undefined;
}

/** The beginning of an object's members, and how many there are. */
export interface MemberListing {
  /** The first members in order, keys that occur again included. */
  readonly members: readonly MemberEntry[];
  /** How many there are in all. */
  readonly memberCount: number;
}

const foundMembers = new ReaderMemo<{ readonly range: ByteSpan | undefined }>();

/**
 * The bytes of the value of a key in the object that takes up the span: the whole blob, or a value
 * in it. `undefined` if it has no such key. Of a key that occurs more than once the last counts, as
 * for `JSON.parse`. Where the index lists all members nothing is read; otherwise those blocks of
 * members are searched that may have it, by the index, or all, without the big values that it knows.
 */
export async function memberRange(
  reader: BlobReader,
  span: ByteSpan,
  key: string,
): Promise<ByteSpan | undefined> {
  const listed = listedMembers(reader, span);
  if (listed !== undefined) {
    const member = listed.last(key);
    return member && { start: member.start, end: member.end };
  }
  const found = foundMembers.get(reader, span, key);
  if (found !== undefined) return found.range;

  const part = partOf(reader, span);
  if (part?.type === "array") throw unexpectedType(span.start, "object", part.type);
  const range =
    part?.blocks === undefined
      ? await findInAll(reader, span, key)
      : await findInBlocks(reader, { ...part, blocks: part.blocks }, key);
  foundMembers.set(reader, span, { range }, key);
  return range;
}

async function findInAll(
  reader: BlobReader,
  span: ByteSpan,
  key: string,
): Promise<ByteSpan | undefined> {
  let range: ByteSpan | undefined;
  const memberCount = await scanMembers(reader, span, key.length, (member, partCount) => {
    if (member.key === key) {
      range = { start: member.start, end: member.end };
      keepCountOfValue(reader, range, member.firstByte, partCount);
    }
    return true;
  });
  keepPartCount(reader, span, "object", memberCount);
  return range;
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
    countedParts(reader, span, "object");
  const listedEnd = span.start + (options.maxBytes ?? Infinity);
  const members: MemberEntry[] = [];
  if (knownCount !== undefined && maxMembers <= 0) return { members, memberCount: knownCount };
  const scannedCount = await scanMembers(reader, span, MAX_LISTED_KEY_UNITS, (member) => {
    if (members.length < maxMembers) members.push(entryOf(member));
    return knownCount === undefined || (members.length < maxMembers && member.end < listedEnd);
  });
  const memberCount = knownCount ?? scannedCount;
  keepPartCount(reader, span, "object", memberCount);
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
  visit: (member: JsonMember, partCount: number) => boolean,
): Promise<number> {
  await expectType(reader, span, "object");
  const listed = listedMembers(reader, span);
  const part = partOf(reader, span);
  let count = 0;
  await visitMembers(
    reader,
    {
      from: span.start,
      at: "value",
      to: span.end,
      toEnd: "object",
      maxKeyUnits,
      part: part?.type === "object" ? part : undefined,
      endOfValue: (start) => listed && memberAt(listed, start)?.end,
    },
    (member, partCount) => {
      count++;
      return visit(member, partCount);
    },
  );
  return count;
}

function listedMembers(reader: BlobReader, span: ByteSpan): MemberList | undefined {
  const { index } = reader;
  return index?.type === "json_object" && isWhole(reader, span) ? index.members : undefined;
}

function memberAt(members: MemberList, start: number): ObjectIndexEntry | undefined {
  const position = lastAtOrBefore(
    start,
    mapLookup(members, (member) => member.start),
  );
  const member = position < 0 ? undefined : members.at(position);
  return member?.start === start ? member : undefined;
}
