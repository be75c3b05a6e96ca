import type { ByteSpan } from "./bytes.js";
import type { BlobReader } from "./blob-store.js";
import { isSpace } from "./json-bytes.js";
import { JsonPartScanner } from "./json-part-scanner.js";
import { expectType, isWhole, runScan } from "./json-scan.js";
import { ReaderMemo } from "./reader-memo.js";
import { SparseOffsets } from "./sparse-offsets.js";

/** Where every `stride`-th element of an array begins. */
interface ElementPositions {
  readonly count: number;
  readonly stride: number;
  readonly offsets: Float64Array;
}

const scannedPositions = new ReaderMemo<ElementPositions>();

/** How many elements the array has that takes up the span: the whole blob, or a value in it. */
export async function arrayLength(reader: BlobReader, span: ByteSpan): Promise<number> {
  const { entryCount } = reader.stat;
  if (isWhole(reader, span) && entryCount !== undefined) return entryCount;
  const known = scannedPositions.get(reader, span);
  return (known ?? (await scanPositions(reader, span))).count;
}

/** Bounds of an answer. */
export interface ElementRangesOptions {
  /** No further elements once those found have so many bytes in all. Default: no limit. */
  readonly maxBytes?: number | undefined;
}

/**
 * The bytes of each of the elements `[from, to)`, counted from 0, of the array that takes up the
 * span. Fewer where the array ends, or `maxBytes` is reached. Reads no further than needed; an
 * index, or an earlier {@link arrayLength} of the same span, spares what lies before.
 */
export async function elementRanges(
  reader: BlobReader,
  span: ByteSpan,
  from: number,
  to: number,
  options: ElementRangesOptions = {},
): Promise<readonly ByteSpan[]> {
  const ranges: ByteSpan[] = [];
  let room = options.maxBytes ?? Infinity;
  await visitElements(reader, span, from, to, (start, end) => {
    ranges.push({ start, end });
    room -= end - start;
    return room > 0;
  });
  return ranges;
}

/**
 * The bytes from the beginning of element `from` to the end of element `to - 1`, with what stands
 * between them. `undefined` if there is no such element.
 */
export async function arrayRange(
  reader: BlobReader,
  span: ByteSpan,
  from: number,
  to: number,
): Promise<ByteSpan | undefined> {
  let range: ByteSpan | undefined;
  const extend = (start: number, end: number): boolean => {
    range = { start: range?.start ?? start, end };
    return true;
  };
  const count = positionsOf(reader, span)?.count;
  const last = Math.min(to, count ?? Infinity) - 1;
  // With positions the elements between are not read.
  if (count !== undefined && last > from) {
    await visitElements(reader, span, from, from + 1, extend);
    await visitElements(reader, span, last, last + 1, extend);
  } else await visitElements(reader, span, from, to, extend);
  return range;
}

async function visitElements(
  reader: BlobReader,
  span: ByteSpan,
  from: number,
  to: number,
  visit: (start: number, end: number) => boolean,
): Promise<void> {
  const positions = positionsOf(reader, span);
  if (to <= from || from >= (positions?.count ?? Infinity)) return;
  if (positions === undefined) await expectType(reader, span, "array");
  const begin = positions === undefined ? undefined : anchorBefore(positions, from);
  let element = begin?.element ?? 0;
  const parts: JsonPartScanner = new JsonPartScanner(
    {
      onElement: (start, end) => {
        const goOn = element < from || visit(start, end);
        element++;
        if (!goOn || element >= to) parts.stop();
      },
    },
    begin === undefined ? { base: span.start } : { base: begin.offset, at: "element" },
  );
  await runScan(reader, parts, span.end, {
    limit: positions === undefined ? undefined : offsetAtOrAfter(positions, to),
    endOfValue: async () => {
      const next = positions === undefined ? undefined : offsetOf(positions, element + 1);
      if (next !== undefined) return endOfValueBefore(reader, next);
      const isLast = element + 1 === positions?.count;
      return isLast ? endOfValueBefore(reader, span.end) : undefined;
    },
  });
}

/** The index, or what a scan has found. */
function positionsOf(reader: BlobReader, span: ByteSpan): ElementPositions | undefined {
  const { index, stat } = reader;
  if (index?.type === "json_array" && stat.entryCount !== undefined && isWhole(reader, span)) {
    return { count: stat.entryCount, stride: index.stride, offsets: index.offsets };
  }
  return scannedPositions.get(reader, span);
}

async function scanPositions(reader: BlobReader, span: ByteSpan): Promise<ElementPositions> {
  await expectType(reader, span, "array");
  const found = new SparseOffsets();
  const parts = new JsonPartScanner(
    { onElement: (start) => found.add(start) },
    { base: span.start },
  );
  await runScan(reader, parts, span.end);
  const positions = { count: found.count, stride: found.stride, offsets: found.offsets };
  scannedPositions.set(reader, span, positions);
  return positions;
}

function anchorBefore(
  { stride, offsets }: ElementPositions,
  element: number,
): { readonly element: number; readonly offset: number } | undefined {
  const position = Math.min(Math.floor(element / stride), offsets.length - 1);
  const offset = offsets[position];
  return offset === undefined ? undefined : { element: position * stride, offset };
}

function offsetOf({ stride, offsets }: ElementPositions, element: number): number | undefined {
  return element % stride === 0 ? offsets[element / stride] : undefined;
}

function offsetAtOrAfter(
  { stride, offsets }: ElementPositions,
  element: number,
): number | undefined {
  return offsets[Math.ceil(element / stride)];
}

/** Enough for what stands between two elements, as a rule. */
const WINDOW_BYTES = 256;

/** The end of the element before the comma, or the bracket, that stands before `offset`. */
async function endOfValueBefore(reader: BlobReader, offset: number): Promise<number> {
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
