import { Buffer } from "node:buffer";
import type { MemberList, ObjectIndexEntry } from "./blob-index.js";
import type { CheckedBytes } from "./checked-bytes.js";
import type { IndexCursor } from "./index-cursor.js";
import { entriesOf, lastAtOrBefore, type Lookup } from "./lookup.js";
import { readNumbers, writeNumbers } from "./packed-numbers.js";
import { escapeText, unescapeText } from "./text-codec.js";
import { VarintWriter } from "./varint.js";

/** Stands before and after each key, and in none: it is escaped. */
const SEPARATOR = "\n";

/** Members in memory, in order of appearance. */
export function memberList(members: readonly ObjectIndexEntry[]): MemberList {
  return {
    length: members.length,
    at: (position) => members[position],
    last: (wanted) => members.findLast(({ key }) => key === wanted),
  };
}

/** Members in an encoded index: keys in one text, to be searched at once. */
class EncodedMembers implements MemberList {
  readonly #bytes: CheckedBytes;
  /** Where each key begins in the text. */
  readonly #keyStarts: Lookup<number>;
  readonly #starts: Lookup<number>;
  readonly #ends: Lookup<number>;
  readonly #textStart: number;
  readonly #textEnd: number;

  constructor(from: IndexCursor) {
    this.#keyStarts = readNumbers(from);
    this.#starts = readNumbers(from);
    this.#ends = readNumbers(from);
    const textBytes = from.uint();
    this.#textStart = from.skip(textBytes);
    this.#textEnd = this.#textStart + textBytes;
    this.#bytes = from.bytes;
  }

  get length(): number {
    return this.#starts.length;
  }

  at(position: number): ObjectIndexEntry | undefined {
    const keyStart = this.#keyStarts.at(position);
    const start = this.#starts.at(position);
    const end = this.#ends.at(position);
    if (keyStart === undefined || start === undefined || end === undefined) return undefined;
    const keyEnd = this.#keyStarts.at(position + 1) ?? this.#textEnd - this.#textStart;
    const from = this.#textStart + keyStart;
    const text = this.#bytes.slice(from, this.#textStart + keyEnd - SEPARATOR.length);
    return { key: unescapeText(text.toString("utf8")), start, end };
  }

  last(key: string): ObjectIndexEntry | undefined {
    const text = this.#bytes.slice(this.#textStart, this.#textEnd);
    const at = text.lastIndexOf(Buffer.from(SEPARATOR + escapeText(key) + SEPARATOR));
    if (at === -1) return undefined;
    return this.at(lastAtOrBefore(at + SEPARATOR.length, this.#keyStarts));
  }
}

/** Bytes that the members take in an encoded index. */
export function encodedMembersSize(members: Lookup<ObjectIndexEntry>): number {
  const writer = new VarintWriter();
  writeMembers(writer, members);
  return writer.bytes.length;
}

/** Writes members, which are in order of appearance. */
export function writeMembers(to: VarintWriter, members: Lookup<ObjectIndexEntry>): void {
  const text = new VarintWriter();
  const keyStarts: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  text.raw(Buffer.from(SEPARATOR));
  for (const { key, start, end } of entriesOf(members)) {
    keyStarts.push(text.bytes.length);
    starts.push(start);
    ends.push(end);
    text.raw(Buffer.from(escapeText(key) + SEPARATOR));
  }
  writeNumbers(to, keyStarts);
  writeNumbers(to, starts);
  writeNumbers(to, ends);
  to.uint(text.bytes.length);
  to.raw(text.bytes);
}

/** Finds what {@link writeMembers} wrote. */
export function readMembers(from: IndexCursor): MemberList {
  return new EncodedMembers(from);
}
