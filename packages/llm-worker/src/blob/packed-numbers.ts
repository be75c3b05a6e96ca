import type { CheckedBytes } from "./checked-bytes.js";
import type { IndexCursor } from "./index-cursor.js";
import { entriesOf, type Lookup } from "./lookup.js";
import type { VarintWriter } from "./varint.js";

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
  const bytes = new Uint8Array(basesLength + values.length * gapBytes);
  let base = 0;
  for (let at = 0, baseAt = 0, gapAt = basesLength; at < values.length; at++, gapAt += gapBytes) {
    const value = values[at] as number; // below the length
    if (at % GROUP_LENGTH === 0) {
      base = value;
      putFixed(bytes, baseAt, base, baseBytes);
      baseAt += baseBytes;
    }
    putFixed(bytes, gapAt, value - base, gapBytes);
  }
  to.uint(values.length);
  to.uint(baseBytes);
  to.uint(gapBytes);
  to.raw(bytes);
}

/** Bytes that {@link writeNumbers} takes for numbers, beside what it says of them all. */
export function packedSize(numbers: readonly number[]): number {
  const { baseBytes, gapBytes } = widthsOf(numbers);
  return Math.ceil(numbers.length / GROUP_LENGTH) * baseBytes + numbers.length * gapBytes;
}

/** How many bytes the largest base and the largest distance from one take. */
function widthsOf(numbers: readonly number[]): {
  readonly baseBytes: number;
  readonly gapBytes: number;
} {
  let base = 0;
  let mostGap = 0;
  for (let at = 0; at < numbers.length; at++) {
    const value = numbers[at] as number; // below the length
    if (at % GROUP_LENGTH === 0) base = value;
    else if (value - base > mostGap) mostGap = value - base;
  }
  return { baseBytes: bytesOf(base), gapBytes: bytesOf(mostGap) };
}

/** Writes a number in so many bytes, little-endian. */
function putFixed(bytes: Uint8Array, start: number, value: number, byteCount: number): void {
  let rest = value;
  for (let at = start; at < start + byteCount; at++) {
    bytes[at] = rest; // the lowest byte of it
    rest = Math.floor(rest / 256);
  }
}

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
