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
  const bases: number[] = [];
  const gaps: number[] = [];
  for (const value of entriesOf(numbers)) {
    if (gaps.length % GROUP_LENGTH === 0) bases.push(value);
    gaps.push(value - (bases.at(-1) ?? 0));
  }
  const baseBytes = bytesOf(bases.at(-1) ?? 0);
  const gapBytes = bytesOf(gaps.reduce((most, gap) => Math.max(most, gap), 0));
  to.uint(numbers.length);
  to.uint(baseBytes);
  to.uint(gapBytes);
  for (const base of bases) to.fixed(base, baseBytes);
  for (const gap of gaps) to.fixed(gap, gapBytes);
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
