const FIRST_BLOCK_BYTES = 4 * 1024;
const MAX_BLOCK_BYTES = 256 * 1024;
const MAX_BYTES_PER_CHAR = 3;

/**
 * Text that only grows, as UTF-8. Bytes never move once they are written, so that pieces which were
 * handed out stay what they were while more is appended.
 */
export class ByteLog {
  /** Where the first byte stands; logs that follow each other have offsets in common. */
  readonly start: number;
  readonly #full: Uint8Array[] = [];
  #fullBytes = 0;
  #open: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(start = 0) {
    this.start = start;
  }

  /** Where the next byte will stand. */
  get end(): number {
    return this.start + this.#fullBytes + this.#used;
  }

  append(text: string): void {
    if (text.length * MAX_BYTES_PER_CHAR > this.#open.length - this.#used) this.#makeRoom(text);
    this.#used += this.#open.write(text, this.#used);
  }

  /** The bytes from one offset to another, as far as they are in this log. Not to be changed. */
  pieces(from: number = this.start, to: number = this.end): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let offset = this.start;
    for (const block of [...this.#full, this.#open.subarray(0, this.#used)]) {
      const begin = Math.max(from - offset, 0);
      const end = Math.min(to - offset, block.length);
      if (begin < end) {
        pieces.push(end - begin === block.length ? block : block.subarray(begin, end));
      }
      offset += block.length;
    }
    return pieces;
  }

  /** Blocks double up to a size, so that neither short texts nor long ones waste much. */
  #makeRoom(text: string): void {
    const byteCount = Buffer.byteLength(text);
    if (byteCount <= this.#open.length - this.#used) return;
    if (this.#used > 0) this.#full.push(this.#open.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#used = 0;
    const usual = Math.min(Math.max(this.#fullBytes, FIRST_BLOCK_BYTES), MAX_BLOCK_BYTES);
    // Not from Node's pool, which a small piece would keep alive.
    this.#open = Buffer.allocUnsafeSlow(Math.max(usual, byteCount));
  }
}
