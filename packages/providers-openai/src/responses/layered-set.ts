/** A set on top of another one, which stays as it is. */
export class LayeredSet {
  readonly #below: LayeredSet | undefined;
  readonly #own = new Set<string>();

  constructor(below?: LayeredSet) {
    this.#below = below;
  }

  add(value: string): void {
    this.#own.add(value);
  }

  has(value: string): boolean {
    return this.#own.has(value) || (this.#below !== undefined && this.#below.has(value));
  }
}
