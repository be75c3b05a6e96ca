import { Buffer } from "node:buffer";
import type { KeyBlocks, ObjectPart } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import { asBuffer, type ByteSpan } from "./bytes.js";
import { BACKSLASH } from "./json-bytes.js";
import { blocksWithKey } from "./key-search.js";
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
  const { offsets } = part;
  for (const { block, hasEscapes } of blocksWithKey(part.blocks, key)) {
    const start = block === 0 ? part.start : (offsets.at(block - 1) ?? part.start);
    const end = offsets.at(block) ?? part.end;
    const range = await findInBlock(search, { start, end }, hasEscapes);
    if (range !== undefined) return range;
  }
  return undefined;
}

/**
 * A search for the bytes of the key is many times as fast as a scan, above all in a process that has
 * not scanned before: it tells which members have to be scanned. Where keys have escapes it does not
 * tell: any of them may stand for a part of the key.
 */
async function findInBlock(
  search: Search,
  block: ByteSpan,
  hasEscapes: boolean,
): Promise<ByteSpan | undefined> {
  const { reader, part, written } = search;
  const { start, end } = block;
  // A large value takes up most of it, which a scan leaves out.
  if (end - start > SCAN_READ_BYTES) return findByScan(search, block, Infinity);
  const bytes = asBuffer(await reader.read(start, end));
  if (hasEscapes && bytes.includes(BACKSLASH)) return findByScan(search, block, Infinity);
  const at = bytes.lastIndexOf(written);
  if (at === -1) return undefined;
  const isMember = endsBeforeMember(bytes.subarray(0, at), start === part.start);
  const from = isMember ? start + at : start;
  return findByScan(search, { start: from, end }, start + at);
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
