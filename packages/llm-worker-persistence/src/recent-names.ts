/** About 100 bytes each. */
const MAX_NAMES = 10_000;

/**
 * Which names came up lately: the last 10,000 different ones. A server has new sessions for as long as
 * it lives, and its memory must not grow with them.
 */
export class RecentNames {
  readonly #names = new Set<string>();

  /** Remembers a name. @returns whether it is new, or came up so long ago that nobody knows */
  isNew(name: string): boolean {
    const wasKnown = this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size > MAX_NAMES) this.#forgetOldest();
    return !wasKnown;
  }

  #forgetOldest(): void {
    for (const oldest of this.#names) {
      this.#names.delete(oldest);
      return;
    }
  }
}
