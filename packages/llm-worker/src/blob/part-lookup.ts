import type { BlobIndex, PartIndex, PartList } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import type { ByteSpan } from "./bytes.js";
import { isSpace } from "./json-bytes.js";
import { isWhole } from "./json-scan.js";
import { type Lookup, lastAtOrBefore } from "./lookup.js";
import { partList } from "./part-list.js";

/** What the index knows of the array or object that takes up the span. */
export function partOf(reader: BlobReader, span: ByteSpan): PartIndex | undefined {
  if (isWhole(reader, span)) return partsOf(reader.index).at(0);
  const part = partAt(reader, span.start);
  return part?.end === span.end ? part : undefined;
}

/** What the index knows of the array or object that begins at this byte. */
export function partAt({ index }: BlobReader, start: number): PartIndex | undefined {
  const parts = partsOf(index);
  const position = lastPartAt(parts, start);
  const part = position < 0 ? undefined : parts.at(position);
  return part?.start === start ? part : undefined;
}

/** Position of the last part that does not begin after this byte; -1 if none is. */
export function lastPartAt(parts: PartList, offset: number): number {
  return lastAtOrBefore(offset, parts.starts);
}

/** The parts of an index; of a text none. */
export function partsOf(index: BlobIndex | undefined): PartList {
  return index === undefined || index.type === "text" ? NO_PARTS : index.parts;
}

const NO_PARTS: PartList = partList([]);

/** A place in an array: before the element `number`. */
export interface Checkpoint {
  readonly number: number;
  readonly offset: number;
}

/** Where checkpoints of an array are, of an index or found by a scan. */
export interface Checkpoints {
  readonly numbers: Lookup<number>;
  readonly offsets: Lookup<number>;
}

/** The last checkpoint that is not after the element. */
export function checkpointBefore(of: Checkpoints, number: number): Checkpoint | undefined {
  return checkpoint(of, lastAtOrBefore(number, of.numbers));
}

/** The first checkpoint that is not before the element. */
export function checkpointAtOrAfter(of: Checkpoints, number: number): Checkpoint | undefined {
  return checkpoint(of, lastAtOrBefore(number - 1, of.numbers) + 1);
}

function checkpoint({ numbers, offsets }: Checkpoints, position: number): Checkpoint | undefined {
  if (position < 0) return undefined;
  const [number, offset] = [numbers.at(position), offsets.at(position)];
  return number === undefined || offset === undefined ? undefined : { number, offset };
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
