const FIRST_BYTES = 16 * 1024;

/** Collects bytes until a part is full; takes no more memory than it needs by then. */
export class PartBuffer {
  readonly #partBytes: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
  }

  get isFull(): boolean {
    return this.#length === this.#partBytes;
  }

  /** What has been collected, valid until the next call. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Copies as much of `piece` as fits and says how much that is. */
  take(piece: Uint8Array): number {
    const taken = Math.min(piece.length, this.#partBytes - this.#length);
    this.#reserve(taken);
    this.#bytes.set(piece.subarray(0, taken), this.#length);
    this.#length += taken;
    return taken;
  }

  /** Hands over what has been collected and begins anew. */
  release(): Uint8Array {
    const { bytes } = this;
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return bytes;
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount;
    if (needed <= this.#bytes.length) return;
    const size = Math.max(needed, this.#bytes.length * 2, FIRST_BYTES);
    const bytes = new Uint8Array(Math.min(size, this.#partBytes));
    bytes.set(this.bytes);
    this.#bytes = bytes;
  }
}
