import type { CacheTtl } from "./wire.js";

/**
 * The blocks that can carry a cache mark, in the order of the wire: thinking cannot, and what we do
 * not understand is sent untouched.
 */
export class MarkableBlocks {
  readonly #before: MarkableBlocks | undefined;
  readonly #positions: number[] = [];
  readonly #offsets: number[] = [];
  /** How many blocks there are before the last message of the assistant. */
  #countBeforeAnswer = 0;
  #locked: { itemCount: number; seenCount: number; offset: number | undefined } | undefined;

  /** @param before blocks that these follow; none is added to them while these are in use */
  constructor(before?: MarkableBlocks) {
    this.#before = before;
    if (before !== undefined) this.#countBeforeAnswer = before.#countBeforeAnswer;
  }

  /**
   * @param position index of the block's item in the history; -1 for what is not of the history
   * @param offset where a mark is put: before the brace that closes the block
   */
  add(position: number, offset: number): void {
    this.#positions.push(position);
    this.#offsets.push(offset);
  }

  /** A message of the assistant begins. */
  beginAnswer(): void {
    this.#countBeforeAnswer = this.#count;
  }

  /**
   * Where the prompt cache is told to keep a prefix, in ascending order. With the mark at the end of
   * tools and system these are at most the four that a request may have (A12).
   *
   * - the end of the locked part, which never moves,
   * - the end of the request, for the next one to find,
   * - the end of the last one, so that it is found also past the server's look-back of 20 blocks.
   */
  offsets(lockedItemCount: number): readonly number[] {
    const offsets = [
      this.#lastLocked(lockedItemCount),
      this.#lastFrom(lockedItemCount, this.#count),
      this.#lastFrom(lockedItemCount, this.#countBeforeAnswer),
    ].filter((offset) => offset !== undefined);
    return [...new Set(offsets)].sort((a, b) => a - b);
  }

  get #inheritedCount(): number {
    return this.#before === undefined ? 0 : this.#before.#count;
  }

  get #count(): number {
    return this.#inheritedCount + this.#offsets.length;
  }

  /** The last block of the first `itemCount` items. Remembered, as it is far from the end. */
  #lastLocked(itemCount: number): number | undefined {
    if (this.#locked?.itemCount !== itemCount) {
      this.#locked = { itemCount, seenCount: 0, offset: undefined };
    }
    for (let i = this.#locked.seenCount; i < this.#offsets.length; i += 1) {
      const position = this.#positions[i] ?? -1;
      if (position >= 0 && position < itemCount) this.#locked.offset = this.#offsets[i];
    }
    this.#locked.seenCount = this.#offsets.length;
    if (this.#locked.offset !== undefined || this.#before === undefined) return this.#locked.offset;
    return this.#before.#lastLocked(itemCount);
  }

  /** The last block of the items from `itemCount` on, among the first `count` blocks. */
  #lastFrom(itemCount: number, count: number): number | undefined {
    const inherited = this.#inheritedCount;
    for (let i = count - inherited - 1; i >= 0; i -= 1) {
      if ((this.#positions[i] ?? -1) >= itemCount) return this.#offsets[i];
    }
    if (this.#before === undefined) return undefined;
    return this.#before.#lastFrom(itemCount, Math.min(count, inherited));
  }
}

/** A serialised tool or system block with the mark on it. */
export function withMark(json: string, ttl: CacheTtl | undefined): string {
  return `${json.slice(0, -1)}${markJson(ttl)}}`;
}

/** What stands at the end of a block that is marked. */
export function markJson(ttl: CacheTtl | undefined): string {
  const control = ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl };
  return `,"cache_control":${JSON.stringify(control)}`;
}
