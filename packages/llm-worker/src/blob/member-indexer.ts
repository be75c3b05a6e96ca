import { asBuffer } from "./bytes.js";
import type { MemberList } from "./blob-index.js";
import { encodedMembersSize, memberList } from "./member-list.js";
import { VarintWriter } from "./varint.js";

/** Longer keys are not indexed. In UTF-16 units, escapes resolved. */
export const MAX_INDEXED_KEY_UNITS = 1024;
/**
 * Of an index at most so many bytes list members. A key of many is found by a search of a block of
 * them, which is as quick as a search of a long list.
 */
const MAX_LISTED_BYTES = 65_536;
const ESCAPE = "\\u";
/** What an escape takes beyond what it stands for, at most. */
const ESCAPE_BYTES = 5;

/** Collects the members of an object as long as they are few enough to be listed. */
export class MemberIndexer {
  readonly #maxBytes: number;
  /** Members of the JSON array of the keys. */
  readonly #keys = new VarintWriter();
  /** Where each value begins and ends. */
  readonly #places: number[] = [];
  /** What the keys take in an index at least. */
  #leastBytes = 0;

  constructor(maxBytes: number = MAX_LISTED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** They are too many. */
  get hasGivenUp(): boolean {
    return this.#leastBytes > this.#maxBytes;
  }

  /** Takes what `JsonVisitor.onMembers` tells. */
  add(keys: Uint8Array, places: Float64Array): void {
    if (this.hasGivenUp) return;
    this.#leastBytes += keys.length - ESCAPE_BYTES * escapeCount(keys);
    this.#keys.raw(keys);
    this.#places.push(...places);
  }

  /** All members, if they take at most so many bytes of an encoded index. */
  finish(maxBytes: number): MemberList | undefined {
    if (this.hasGivenUp) return undefined;
    const list = asBuffer(this.#keys.bytes).toString("utf8", 0, this.#keys.bytes.length - 1);
    const keys = JSON.parse(`[${list}]`) as readonly string[]; // string literals
    if (keys.some(({ length }) => length > MAX_INDEXED_KEY_UNITS)) return undefined;
    const places = this.#places;
    const members = memberList(
      keys.map((key, position) => ({
        key,
        start: places[2 * position] as number, // there are two for each key
        end: places[2 * position + 1] as number,
      })),
    );
    return encodedMembersSize(members) <= Math.min(maxBytes, this.#maxBytes) ? members : undefined;
  }
}

function escapeCount(keys: Uint8Array): number {
  const bytes = asBuffer(keys);
  let count = 0;
  for (let at = bytes.indexOf(ESCAPE); at !== -1; at = bytes.indexOf(ESCAPE, at + 2)) count++;
  return count;
}
