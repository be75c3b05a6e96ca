import type { CheckedBytes } from "./checked-bytes.js";
import type { IndexCursor } from "./index-cursor.js";
import { entriesOf, type Lookup } from "./lookup.js";
import { uintSize, type VarintWriter } from "./varint.js";

/** So many numbers lie between two that are written whole. */
const GROUP_BITS = 6;
const GROUP_LENGTH = 1 << GROUP_BITS;

/**
 * Numbers in an encoded index: any of them is read without the others. Every 64th is written whole, and
 * the last; of the others how far they are from a straight line between those beside them, which is a
 * fraction of how far they are from those, as what is indexed is much alike.
 */
class PackedNumbers implements Lookup<number> {
  readonly length: number;
  readonly #bytes: CheckedBytes;
  readonly #wholeBytes: number;
  readonly #restBytes: number;
  readonly #leastRest: number;
  readonly #wholesAt: number;
  readonly #restsAt: number;

  constructor(from: IndexCursor) {
    this.length = from.uint();
    this.#wholeBytes = from.uint();
    this.#restBytes = from.uint();
    this.#leastRest = -from.uint();
    this.#bytes = from.bytes;
    this.#wholesAt = from.skip(wholeCount(this.length) * this.#wholeBytes);
    this.#restsAt = from.skip(this.length * this.#restBytes);
  }

  at(position: number): number | undefined {
    if (position < 0 || position >= this.length) return undefined;
    const bytes = this.#bytes;
    const [wholeBytes, restBytes] = [this.#wholeBytes, this.#restBytes];
    const wholeAt = this.#wholesAt + (position >>> GROUP_BITS) * wholeBytes;
    const from = bytes.uint(wholeAt, wholeBytes);
    const to = bytes.uint(wholeAt + wholeBytes, wholeBytes);
    const rest = bytes.uint(this.#restsAt + position * restBytes, restBytes) + this.#leastRest;
    return onLine(position, this.length, from, to) + rest;
  }
}

/** Every so many, and the last. */
function wholeCount(length: number): number {
  return length === 0 ? 0 : Math.ceil(length / GROUP_LENGTH) + 1;
}

/** What the number at a position would be if its group grew evenly, from one whole number to the next. */
function onLine(position: number, length: number, from: number, to: number): number {
  return from + stepOf(position % GROUP_LENGTH, stepsAt(position, length), to - from);
}

/** How many steps it is from one whole number to the next: the last group ends with the last number. */
function stepsAt(position: number, length: number): number {
  return Math.max(1, Math.min(GROUP_LENGTH, length - 1 - (position - (position % GROUP_LENGTH))));
}

function stepOf(step: number, steps: number, distance: number): number {
  return Math.floor(distance * (step / steps));
}

/** How numbers are written. */
interface Packing {
  readonly values: readonly number[];
  readonly wholes: readonly number[];
  readonly wholeBytes: number;
  readonly restBytes: number;
  readonly leastRest: number;
}

function packingOf(numbers: Lookup<number>): Packing {
  // An array is gone through in half the time of a list that is looked into.
  const values = Array.isArray(numbers) ? (numbers as readonly number[]) : [...entriesOf(numbers)];
  const { length } = values;
  const wholes: number[] = [];
  // All that is read here and below lies within.
  for (let at = 0; at < length; at += GROUP_LENGTH) wholes.push(values[at] as number);
  if (length > 0) wholes.push(values[length - 1] as number);
  let leastRest = 0;
  let mostRest = 0;
  visitRests(values, wholes, (rest) => {
    if (rest < leastRest) leastRest = rest;
    else if (rest > mostRest) mostRest = rest;
  });
  const wholeBytes = bytesOf(wholes.at(-1) ?? 0);
  return { values, wholes, wholeBytes, restBytes: bytesOf(mostRest - leastRest), leastRest };
}

function visitRests(
  values: readonly number[],
  wholes: readonly number[],
  visit: (rest: number) => void,
): void {
  for (let start = 0; start < values.length; start += GROUP_LENGTH) {
    const from = wholes[start >>> GROUP_BITS] as number;
    const distance = (wholes[(start >>> GROUP_BITS) + 1] as number) - from;
    const steps = stepsAt(start, values.length);
    const count = Math.min(GROUP_LENGTH, values.length - start);
    for (let step = 0; step < count; step++) {
      visit((values[start + step] as number) - from - stepOf(step, steps, distance));
    }
  }
}

/** Writes numbers that do not become less. */
export function writeNumbers(to: VarintWriter, numbers: Lookup<number>): void {
  const packing = packingOf(numbers);
  const { values, wholes, wholeBytes, restBytes, leastRest } = packing;
  const length = wholes.length * wholeBytes + values.length * restBytes;
  // Words are written one over the end of the other.
  const bytes = new DataView(new ArrayBuffer(length + MAX_NUMBER_BYTES));
  let at = 0;
  for (const whole of wholes) {
    putWords(bytes, at, whole);
    at += wholeBytes;
  }
  visitRests(values, wholes, (rest) => {
    if (restBytes > 4) putWords(bytes, at, rest - leastRest);
    else bytes.setUint32(at, rest - leastRest, true);
    at += restBytes;
  });
  writeHead(to, packing);
  to.raw(new Uint8Array(bytes.buffer, 0, length));
}

function writeHead(to: VarintWriter, { values, wholeBytes, restBytes, leastRest }: Packing): void {
  to.uint(values.length);
  to.uint(wholeBytes);
  to.uint(restBytes);
  to.uint(-leastRest);
}

/** Bytes that {@link writeNumbers} takes. */
export function packedSize(numbers: Lookup<number>): number {
  const { values, wholes, wholeBytes, restBytes, leastRest } = packingOf(numbers);
  const headBytes = uintSize(values.length) + 2 + uintSize(-leastRest);
  return headBytes + wholes.length * wholeBytes + values.length * restBytes;
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
