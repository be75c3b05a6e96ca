import type { BlobIndex, PartIndex } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { isSpace } from "./json-bytes.js";
import { isWhole } from "./json-scan.js";

/** What the index knows of the array or object that takes up the span. */
export function partOf(reader: BlobReader, span: ByteSpan): PartIndex | undefined {
  if (isWhole(reader, span)) return partsOf(reader.index)[0];
  const part = partAt(reader, span.start);
  return part?.end === span.end ? part : undefined;
}

/** What the index knows of the array or object that begins at this byte. */
export function partAt({ index }: BlobReader, start: number): PartIndex | undefined {
  const parts = partsOf(index);
  const part = parts[lastAtOrBefore(start, parts.length, (position) => parts[position]?.start)];
  return part?.start === start ? part : undefined;
}

/** The parts of an index; of a text none. */
export function partsOf(index: BlobIndex | undefined): readonly PartIndex[] {
  return index === undefined || index.type === "text" ? [] : index.parts;
}

/** A place in an array or object: before the element or member `number`. */
export interface Checkpoint {
  readonly number: number;
  readonly offset: number;
}

/** Where checkpoints are, of an index or found by a scan. */
export type Checkpoints = Pick<PartIndex, "numbers" | "offsets">;

/** The last checkpoint that is not after the element or member. */
export function checkpointBefore(of: Checkpoints, number: number): Checkpoint | undefined {
  const { numbers } = of;
  return checkpoint(
    of,
    lastAtOrBefore(number, numbers.length, (position) => numbers[position]),
  );
}

/** The first checkpoint that is not before the element or member. */
export function checkpointAtOrAfter(of: Checkpoints, number: number): Checkpoint | undefined {
  const { numbers } = of;
  const before = lastAtOrBefore(number, numbers.length, (position) => numbers[position]);
  return checkpoint(of, numbers[before] === number ? before : before + 1);
}

function checkpoint({ numbers, offsets }: Checkpoints, position: number): Checkpoint | undefined {
  const [number, offset] = [numbers[position], offsets[position]];
  return number === undefined || offset === undefined ? undefined : { number, offset };
}

/** Position of the last of increasing values that is not above `wanted`; -1 if none is. */
export function lastAtOrBefore(
  wanted: number,
  length: number,
  valueAt: (position: number) => number | undefined,
): number {
  let low = -1;
  let high = length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((valueAt(middle) ?? Infinity) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Enough for what stands between two elements, as a rule. */
const WINDOW_BYTES = 256;

/** The end of the value before the comma, or the bracket, that stands before `offset`. */
export async function endOfValueBefore(reader: BlobReader, offset: number): Promise<number> {
  let delimiters = 1;
  for (let end = offset; end > 0; end -= WINDOW_BYTES) {
    const window = await reader.read(Math.max(0, end - WINDOW_BYTES), end);
    for (let at = window.length - 1; at >= 0; at--) {
      const byte = window[at] as number; // within
      if (isSpace[byte] === 1) continue;
      if (delimiters-- === 0) return end - window.length + at + 1;
    }
  }
  return 0;
}
