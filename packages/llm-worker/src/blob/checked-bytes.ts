import { Buffer } from "node:buffer";
import { CorruptIndexError } from "./blob-error.js";
import { asBuffer } from "./bytes.js";

/** So many bytes have a checksum of their own: about what one look into an index needs. */
export const RUN_BYTES = 1024;
const RUN_BITS = 10;
const SUM_BYTES = 4;

const words = new Int32Array(RUN_BYTES / 4);
const wordBytes = new Uint8Array(words.buffer);

/**
 * A checksum of bytes. Not CRC-32: to load `node:zlib` for that takes longer than all the rest of a
 * first look into an index. Words are taken in the byte order of the machine; an index from one of
 * the other order is made anew.
 */
export function checksumOf(bytes: Uint8Array): number {
  let sum = bytes.length;
  for (let at = 0; at < bytes.length; at += RUN_BYTES) {
    sum = addRun(sum, bytes.subarray(at, at + RUN_BYTES));
  }
  return sum >>> 0;
}

/** Each step can be undone: a change of one word always changes what the next step begins with. */
function addRun(before: number, run: Uint8Array): number {
  wordBytes.fill(0, run.length);
  wordBytes.set(run);
  // Four sums at a time, which wait for each other less.
  let [one, two, three, four] = [before, 1, 2, 3];
  for (let at = 0; at < words.length; at += 4) {
    // All are below the length, which is a multiple of 4.
    one = Math.imul(one ^ (words[at] as number), 0x9e3779b1);
    two = Math.imul(two ^ (words[at + 1] as number), 0x85ebca77);
    three = Math.imul(three ^ (words[at + 2] as number), 0xc2b2ae3d);
    four = Math.imul(four ^ (words[at + 3] as number), 0x27d4eb2f);
    one ^= four >>> 15;
    two ^= one >>> 15;
    three ^= two >>> 15;
    four ^= three >>> 15;
  }
  for (const other of [two, three, four]) {
    one = Math.imul(one, 0x9e3779b1);
    one ^= (one >>> 15) ^ other;
  }
  return one;
}

/** The checksums of the runs of some bytes, one after the other, little-endian. */
export function runSums(bytes: Uint8Array): Uint8Array {
  const sums = Buffer.alloc(runSumBytes(bytes.length));
  for (let at = 0, to = 0; at < bytes.length; at += RUN_BYTES, to += SUM_BYTES) {
    sums.writeUInt32LE(checksumOf(bytes.subarray(at, at + RUN_BYTES)), to);
  }
  return sums;
}

/** How many bytes the checksums of so many bytes take. */
export function runSumBytes(byteCount: number): number {
  return Math.ceil(byteCount / RUN_BYTES) * SUM_BYTES;
}

/** Bytes of which those that are asked for are checked first. */
export class CheckedBytes {
  readonly #bytes: Buffer;
  readonly #sums: Buffer;
  readonly #isChecked: Uint8Array;
  readonly #onCorrupt: (() => void) | undefined;

  /**
   * @param sums as {@link runSums} makes them; without, the bytes are known to be right
   * @param onCorrupt told before bytes that are not right make a look throw
   */
  constructor(bytes: Uint8Array, sums?: Uint8Array, onCorrupt?: () => void) {
    this.#bytes = asBuffer(bytes);
    this.#sums = asBuffer(sums ?? new Uint8Array());
    this.#isChecked = new Uint8Array(Math.ceil(bytes.length / RUN_BYTES));
    if (sums === undefined) this.#isChecked.fill(1);
    this.#onCorrupt = onCorrupt;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Whether all bytes are right. */
  isIntact(): boolean {
    for (let run = 0; run < this.#isChecked.length; run++) if (!this.#isRight(run)) return false;
    return true;
  }

  /** @throws CorruptIndexError, as all that follows does */
  byte(at: number): number {
    const run = at >>> RUN_BITS;
    if (this.#isChecked[run] !== 1) this.#check(run);
    return this.#bytes[at] ?? this.#fail();
  }

  /** A little-endian unsigned integer of so many bytes, at most 7. */
  uint(at: number, byteCount: number): number {
    if (byteCount === 0) return 0;
    const last = at + byteCount - 1;
    if (last >= this.#bytes.length) this.#fail();
    if (this.#isChecked[at >>> RUN_BITS] !== 1) this.#check(at >>> RUN_BITS);
    if (this.#isChecked[last >>> RUN_BITS] !== 1) this.#check(last >>> RUN_BITS);
    const bytes = this.#bytes;
    let value = bytes[last] as number; // below the length, as all before it
    for (let next = last - 1; next >= at; next--) value = value * 256 + (bytes[next] as number);
    return value;
  }

  /** The bytes `[start, end)`, not copied. */
  slice(start: number, end: number): Buffer {
    if (end > this.#bytes.length) this.#fail();
    for (let run = start >>> RUN_BITS; run << RUN_BITS < end; run++) {
      if (this.#isChecked[run] !== 1) this.#check(run);
    }
    return this.#bytes.subarray(start, end);
  }

  #check(run: number): void {
    if (!this.#isRight(run)) this.#fail();
    this.#isChecked[run] = 1;
  }

  #isRight(run: number): boolean {
    const start = run * RUN_BYTES;
    if (start >= this.#bytes.length) return false;
    const sum = checksumOf(this.#bytes.subarray(start, start + RUN_BYTES));
    return sum === this.#sums.readUInt32LE(run * SUM_BYTES);
  }

  #fail(): never {
    this.#onCorrupt?.();
    throw new CorruptIndexError();
  }
}
