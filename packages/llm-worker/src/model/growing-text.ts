/** How many pieces are kept before they are joined. */
const MAX_PIECES = 256;

/**
 * Text that arrives in many small pieces, at constant cost for each. They are joined now and then,
 * since the garbage collector pays for every string that stays.
 */
export class GrowingText {
  readonly #joined: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    if (this.#pieces.push(piece) < MAX_PIECES) return;
    this.#joined.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  /** All that was added. */
  toString(): string {
    return [...this.#joined, ...this.#pieces].join("");
  }
}
