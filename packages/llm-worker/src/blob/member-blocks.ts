import { Buffer } from "node:buffer";
import type { KeyBlocks, ObjectPart } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import { asBuffer, type ByteSpan } from "./bytes.js";
import { BACKSLASH } from "./json-bytes.js";
import { blocksWithKey } from "./key-search.js";
import { lastAtOrBefore } from "./lookup.js";
import { visitMembers } from "./member-scan.js";
import { keepCountOfValue } from "./part-counts.js";
import { SCAN_READ_BYTES } from "./read-pieces.js";

/** A key that is looked for, and what it is looked for in. */
interface Search {
  readonly reader: BlobReader;
  readonly part: ObjectPart;
  readonly key: string;
  /** As the key is written without needless escapes. */
  readonly written: Uint8Array;
}

/**
 * The value of a key in a large object, of the last member that has it. Backwards: the last block
 * that has the key has the occurrence that counts.
 */
export async function findInBlocks(
  reader: BlobReader,
  part: ObjectPart & { readonly blocks: KeyBlocks },
  key: string,
): Promise<ByteSpan | undefined> {
  const search: Search = { reader, part, key, written: Buffer.from(JSON.stringify(key)) };
  const { ends } = part.blocks;
  for (const { block, hasEscapes } of blocksWithKey(part.blocks, key)) {
    const start = block === 0 ? part.start : (ends.at(block - 1) ?? part.start);
    const end = ends.at(block) ?? part.end;
    const range = await findInBlock(search, { start, end }, hasEscapes);
    if (range !== undefined) return range;
  }
  return undefined;
}

/** A block is searched in stretches that are read at once, as far as its checkpoints allow it. */
async function findInBlock(
  search: Search,
  block: ByteSpan,
  hasEscapes: boolean,
): Promise<ByteSpan | undefined> {
  for (let { end } = block; end > block.start;) {
    const start = stretchStart(search.part, block, end);
    const range = await findInStretch(search, { start, end }, hasEscapes);
    if (range !== undefined) return range;
    end = start;
  }
  return undefined;
}

/** The first place from which a scan can begin so that not too much is read up to `end`. */
function stretchStart({ offsets }: ObjectPart, block: ByteSpan, end: number): number {
  const wanted = end - SCAN_READ_BYTES;
  if (wanted <= block.start) return block.start;
  const checkpoint = offsets.at(lastAtOrBefore(wanted - 1, offsets) + 1) ?? end;
  // If there is none, a large value takes up the stretch, which a scan leaves out.
  return checkpoint < end ? checkpoint : scanStart(offsets, block, end - 1);
}

/** The last place not after `offset` from which a scan can begin. */
function scanStart(offsets: ObjectPart["offsets"], { start }: ByteSpan, offset: number): number {
  const position = lastAtOrBefore(offset, offsets);
  return Math.max(start, (position < 0 ? undefined : offsets.at(position)) ?? start);
}

/**
 * A search for the bytes of the key is many times as fast as a scan, above all in a process that has
 * not scanned before: it tells which members have to be scanned. Where keys have escapes it does not
 * tell: any of them may stand for a part of the key.
 */
async function findInStretch(
  search: Search,
  stretch: ByteSpan,
  hasEscapes: boolean,
): Promise<ByteSpan | undefined> {
  const { reader, part, written } = search;
  const { start, end } = stretch;
  if (end - start > SCAN_READ_BYTES) return findByScan(search, stretch, Infinity);
  const bytes = asBuffer(await reader.read(start, end));
  if (hasEscapes && bytes.includes(BACKSLASH)) return findByScan(search, stretch, Infinity);
  let at = bytes.lastIndexOf(written);
  for (let isFirst = true; at !== -1; isFirst = false) {
    const checkpoint = scanStart(part.offsets, stretch, start + at);
    const before = bytes.subarray(checkpoint - start, at);
    const isMember = isFirst && endsBeforeMember(before, checkpoint === part.start);
    const from = isMember ? start + at : checkpoint;
    const range = await findByScan(search, { start: from, end }, start + at);
    if (range !== undefined) return range;
    at = bytes.subarray(0, checkpoint - start).lastIndexOf(written);
  }
  return undefined;
}

/** More is scanned: it may hold a large value, which a scan leaves out. */
const MAX_PARSED_BYTES = 65_536;

/**
 * Whether a member of the object may follow these bytes, which begin where one does, or with the
 * bracket of the object: then they parse with one more behind them. That takes less than a scan,
 * which V8 would begin to optimise.
 */
function endsBeforeMember(bytes: Buffer, hasBracket: boolean): boolean {
  if (bytes.length > MAX_PARSED_BYTES) return false;
  // Beyond ASCII are only parts of strings, where one character is as good as another.
  const members = bytes.toString("latin1");
  try {
    JSON.parse(`${hasBracket ? "" : "{"}${members} "":0}`);
    return true;
  } catch {
    return false;
  }
}

/** The last of the members that has the key, of those that do not begin after `lastAt`. */
async function findByScan(
  { reader, part, key }: Search,
  { start, end }: ByteSpan,
  lastAt: number,
): Promise<ByteSpan | undefined> {
  let range: ByteSpan | undefined;
  await visitMembers(
    reader,
    {
      from: start,
      at: start === part.start ? "value" : "member",
      to: end,
      toEnd: end === part.end ? "object" : "member",
      maxKeyUnits: key.length,
      part,
    },
    (member, partCount) => {
      if (member.key === key) {
        range = { start: member.start, end: member.end };
        keepCountOfValue(reader, range, member.firstByte, partCount);
      }
      return member.end <= lastAt;
    },
  );
  return range;
}
