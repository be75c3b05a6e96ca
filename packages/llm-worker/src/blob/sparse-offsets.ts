/** At most this many offsets are kept, 128 KiB of memory, however much is counted. */
export const MAX_SPARSE_OFFSETS = 16_384;

/** Counts things in order and keeps the offset of every `stride`-th; the stride doubles as needed. */
export class SparseOffsets {
  readonly #maxOffsets: number;
  readonly #offsets: number[] = [];
  #stride = 1;
  #count = 0;
  #nextKept = 0;

  constructor(maxOffsets: number = MAX_SPARSE_OFFSETS) {
    this.#maxOffsets = maxOffsets;
  }

  get count(): number {
    return this.#count;
  }

  get stride(): number {
    return this.#stride;
  }

  /** `offsets[i]` is where the thing `i * stride` (0-based) begins. */
  get offsets(): readonly number[] {
    return this.#offsets;
  }

  add(offset: number): void {
    if (this.#count++ !== this.#nextKept) return;
    this.#offsets.push(offset);
    this.#nextKept += this.#stride;
    if (this.#offsets.length > this.#maxOffsets) this.thinTo(this.#maxOffsets);
  }

  /** Keeps at most so many, and the first in any case: the stride becomes longer. */
  thinTo(maxOffsets: number): void {
    const offsets = this.#offsets;
    let factor = 1;
    while (Math.ceil(offsets.length / factor) > Math.max(1, maxOffsets)) factor *= 2;
    if (factor === 1) return;
    const kept = Math.ceil(offsets.length / factor);
    for (let at = 1; at < kept; at++) offsets[at] = offsets[factor * at] as number; // below the length
    offsets.length = kept;
    this.#stride *= factor;
    this.#nextKept = kept * this.#stride;
  }
}
