import type { CheckedBytes } from "./checked-bytes.js";
import type { IndexCursor } from "./index-cursor.js";
import { entriesOf, type Lookup } from "./lookup.js";
import { uintSize, type VarintWriter } from "./varint.js";

/** So many numbers share a base, of which they are written as the distance. */
const GROUP_BITS = 5;
const GROUP_LENGTH = 1 << GROUP_BITS;

/** Numbers in an encoded index: any of them is read without the others. */
class PackedNumbers implements Lookup<number> {
  readonly length: number;
  readonly #bytes: CheckedBytes;
  readonly #basesAt: number;
  readonly #baseBytes: number;
  readonly #gapsAt: number;
  readonly #gapBytes: number;

  constructor(from: IndexCursor) {
    this.length = from.uint();
    this.#baseBytes = from.uint();
    this.#gapBytes = from.uint();
    this.#bytes = from.bytes;
    this.#basesAt = from.skip(Math.ceil(this.length / GROUP_LENGTH) * this.#baseBytes);
    this.#gapsAt = from.skip(this.length * this.#gapBytes);
  }

  at(position: number): number | undefined {
    if (position < 0 || position >= this.length) return undefined;
    const base = this.#basesAt + (position >>> GROUP_BITS) * this.#baseBytes;
    const gap = this.#gapsAt + position * this.#gapBytes;
    return this.#bytes.uint(base, this.#baseBytes) + this.#bytes.uint(gap, this.#gapBytes);
  }
}

/** Writes numbers that do not become less. */
export function writeNumbers(to: VarintWriter, numbers: Lookup<number>): void {
  // An array is gone through in half the time of a list that is looked into.
  const values = Array.isArray(numbers) ? (numbers as readonly number[]) : [...entriesOf(numbers)];
  const { baseBytes, gapBytes } = widthsOf(values);
  const basesLength = Math.ceil(values.length / GROUP_LENGTH) * baseBytes;
  const length = basesLength + values.length * gapBytes;
  // Words are written one over the end of the other.
  const bytes = new DataView(new ArrayBuffer(length + MAX_NUMBER_BYTES));
  for (let at = 0, baseAt = 0; at < values.length; at += GROUP_LENGTH, baseAt += baseBytes) {
    putWords(bytes, baseAt, values[at] as number); // below the length
  }
  let base = 0;
  for (let at = 0, gapAt = basesLength; at < values.length; at++, gapAt += gapBytes) {
    const value = values[at] as number; // below the length
    if (at % GROUP_LENGTH === 0) base = value;
    if (gapBytes > 4) putWords(bytes, gapAt, value - base);
    else bytes.setUint32(gapAt, value - base, true);
  }
  to.uint(values.length);
  to.uint(baseBytes);
  to.uint(gapBytes);
  to.raw(new Uint8Array(bytes.buffer, 0, length));
}

/** Bytes that {@link writeNumbers} takes. */
export function packedSize(numbers: Lookup<number>): number {
  const { length } = numbers;
  const { baseBytes, gapBytes } = widthsOf(numbers);
  const groupCount = Math.ceil(length / GROUP_LENGTH);
  return uintSize(length) + 2 + groupCount * baseBytes + length * gapBytes;
}

/** How many bytes the largest base and the largest distance from one take. */
function widthsOf(numbers: Lookup<number>): {
  readonly baseBytes: number;
  readonly gapBytes: number;
} {
  const { length } = numbers;
  let base = 0;
  let mostGap = 0;
  // The largest gap of a group is that of its last.
  for (let at = 0; at < length; at += GROUP_LENGTH) {
    base = numbers.at(at) as number; // below the length
    const last = numbers.at(Math.min(at + GROUP_LENGTH, length) - 1) as number; // the same
    mostGap = Math.max(mostGap, last - base);
  }
  return { baseBytes: bytesOf(base), gapBytes: bytesOf(mostGap) };
}

/** What a number takes at most, up to 2^53, in words of four bytes. */
const MAX_NUMBER_BYTES = 8;

/** Writes a number, little-endian, and zeros behind it up to eight bytes. */
function putWords(bytes: DataView, at: number, value: number): void {
  bytes.setUint32(at, value % WORD, true);
  bytes.setUint32(at + 4, Math.floor(value / WORD), true);
}

const WORD = 2 ** 32;

/** Finds what {@link writeNumbers} wrote. */
export function readNumbers(from: IndexCursor): Lookup<number> {
  return new PackedNumbers(from);
}

/** How many bytes a number takes that is written whole. */
function bytesOf(value: number): number {
  let byteCount = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) byteCount++;
  return byteCount;
}
