import type { ByteSpan } from "./bytes.js";
import type { BlobReader } from "./blob-store.js";
import { JsonPartScanner } from "./json-part-scanner.js";
import { expectType, isWhole, runScan } from "./json-scan.js";
import { countedParts, keepCountOfValue } from "./part-counts.js";
import {
  checkpointAtOrAfter,
  checkpointBefore,
  type Checkpoints,
  endOfValueBefore,
  partAt,
  partOf,
} from "./part-lookup.js";
import { ReaderMemo } from "./reader-memo.js";
import { SparseOffsets } from "./sparse-offsets.js";

/** Where some elements of an array begin, and how many there are. */
interface ElementPositions extends Checkpoints {
  readonly count: number;
}

const scannedPositions = new ReaderMemo<ElementPositions>();

/** How many elements the array has that takes up the span: the whole blob, or a value in it. */
export async function arrayLength(reader: BlobReader, span: ByteSpan): Promise<number> {
  const { entryCount } = reader.stat;
  if (isWhole(reader, span) && entryCount !== undefined) return entryCount;
  const known = positionsOf(reader, span)?.count ?? countedParts(reader, span, "array");
  return known ?? (await scanPositions(reader, span)).count;
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
  const begin = positions === undefined ? undefined : checkpointBefore(positions, from);
  let element = begin?.number ?? 0;
  const parts: JsonPartScanner = new JsonPartScanner(
    {
      onElement: (start, end, firstByte, partCount) => {
        const goOn = element < from || visit(start, end);
        element++;
        if (element === to) keepCountOfValue(reader, { start, end }, firstByte, partCount);
        if (!goOn || element >= to) parts.stop();
      },
    },
    begin === undefined ? { base: span.start } : { base: begin.offset, at: "element" },
  );
  await runScan(reader, parts, span.end, {
    limit: positions === undefined ? undefined : checkpointAtOrAfter(positions, to)?.offset,
    endOfValue: async (start) => {
      const part = partAt(reader, start);
      if (part !== undefined || positions === undefined) return part?.end;
      const next = checkpointAtOrAfter(positions, element + 1);
      if (next?.number === element + 1) return endOfValueBefore(reader, next.offset);
      const isLast = element + 1 === positions.count;
      return isLast ? endOfValueBefore(reader, span.end) : undefined;
    },
  });
}

/** The index, or what a scan has found. */
function positionsOf(reader: BlobReader, span: ByteSpan): ElementPositions | undefined {
  const part = partOf(reader, span);
  return part?.type === "array" ? part : scannedPositions.get(reader, span);
}

async function scanPositions(reader: BlobReader, span: ByteSpan): Promise<ElementPositions> {
  await expectType(reader, span, "array");
  const found = new SparseOffsets();
  const parts = new JsonPartScanner(
    { onElement: (start) => found.add(start) },
    { base: span.start },
  );
  await runScan(reader, parts, span.end);
  const { count, stride, offsets } = found;
  const positions = {
    count,
    numbers: { length: offsets.length, at: (position: number) => position * stride },
    offsets,
  };
  scannedPositions.set(reader, span, positions);
  return positions;
}
