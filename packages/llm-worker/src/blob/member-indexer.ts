import type { MemberList, ObjectIndexEntry } from "./blob-index.js";
import type { JsonMember } from "./json-part-scanner.js";
import { encodedMembersSize, memberList } from "./member-list.js";

/** Longer keys are not indexed. In UTF-16 units, escapes resolved. */
export const MAX_INDEXED_KEY_UNITS = 1024;
/**
 * Of an index at most so many bytes list members. A key of many is found by a search of a block of
 * them, which is as quick as a search of a long list.
 */
const MAX_LISTED_BYTES = 65_536;
/** What a member takes at least beside its key: a separator, and how far it is from the one before. */
const MIN_MEMBER_BYTES = 4;

/** Collects the members of an object as long as they are few enough to be listed. */
export class MemberIndexer {
  readonly #maxBytes: number;
  #members: ObjectIndexEntry[] | undefined = [];
  #byteCount = 0;

  constructor(maxBytes: number = MAX_LISTED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** They are too many. */
  get hasGivenUp(): boolean {
    return this.#members === undefined;
  }

  add({ key, start, end }: JsonMember): void {
    if (this.#members === undefined) return;
    this.#byteCount += (key?.length ?? 0) + MIN_MEMBER_BYTES;
    if (key === undefined || this.#byteCount > this.#maxBytes) this.#members = undefined;
    else this.#members.push({ key, start, end });
  }

  /** All members, if they take at most so many bytes of an encoded index. */
  finish(maxBytes: number): MemberList | undefined {
    if (this.#members === undefined) return undefined;
    const members = memberList(this.#members);
    return encodedMembersSize(members) <= Math.min(maxBytes, this.#maxBytes) ? members : undefined;
  }
}
