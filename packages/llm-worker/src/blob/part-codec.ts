import { Buffer } from "node:buffer";
import type { KeyBlocks, KeyBoundRows, PartIndex, PartList } from "./blob-index.js";
import type { CheckedBytes } from "./checked-bytes.js";
import { IndexCursor } from "./index-cursor.js";
import { entriesOf, type Lookup } from "./lookup.js";
import { packedSize, readNumbers, writeNumbers } from "./packed-numbers.js";
import { packedRowsSize, readRows, writeRows } from "./packed-rows.js";
import { SortedKeys } from "./sorted-keys.js";
import { uintSize, VarintWriter } from "./varint.js";

/** Parts in an encoded index: each is read when it is asked for. */
class EncodedParts implements PartList {
  readonly starts: Lookup<number>;
  readonly #records: Lookup<number>;
  readonly #bytes: CheckedBytes;
  readonly #recordsAt: number;

  constructor(from: IndexCursor) {
    this.starts = readNumbers(from);
    this.#records = readNumbers(from);
    this.#bytes = from.bytes;
    this.#recordsAt = from.position;
  }

  get length(): number {
    return this.starts.length;
  }

  at(position: number): PartIndex | undefined {
    const record = this.#records.at(position);
    if (record === undefined) return undefined;
    return readPart(new IndexCursor(this.#bytes, this.#recordsAt + record));
  }
}

/** Bytes that the parts take in an encoded index: reckoned, as to write them takes many times as long. */
export function encodedPartsSize(parts: Lookup<PartIndex>): number {
  const starts: number[] = [];
  const records: number[] = [];
  let byteCount = 0;
  for (const part of entriesOf(parts)) {
    starts.push(part.start);
    records.push(byteCount);
    byteCount += partSize(part);
  }
  return packedSize(starts) + packedSize(records) + byteCount;
}

/** Writes parts, which are in order of their beginning, as the last of an index. */
export function writeParts(to: VarintWriter, parts: Lookup<PartIndex>): void {
  const starts: number[] = [];
  const records: number[] = [];
  const written = new VarintWriter();
  for (const part of entriesOf(parts)) {
    starts.push(part.start);
    records.push(written.bytes.length);
    writePart(written, part);
  }
  writeNumbers(to, starts);
  writeNumbers(to, records);
  to.raw(written.bytes);
}

/** Finds what {@link writeParts} wrote. */
export function readParts(from: IndexCursor): PartList {
  return new EncodedParts(from);
}

function writePart(to: VarintWriter, part: PartIndex): void {
  to.uint(part.type === "array" ? 0 : 1);
  to.uint(part.start);
  to.uint(part.end - part.start);
  to.uint(part.count);
  to.uint(part.spacing);
  writeNumbers(to, part.offsets);
  if (part.type === "array") {
    writeNumbers(to, part.numbers);
    return;
  }
  to.uint(part.blocks === undefined ? 0 : 1);
  if (part.blocks !== undefined) writeBlocks(to, part.blocks);
}

function partSize(part: PartIndex): number {
  const { start, end, count, spacing, offsets } = part;
  const head = [start, end - start, count, spacing];
  const byteCount = head.reduce((sum, value) => sum + uintSize(value), 1) + packedSize(offsets);
  if (part.type === "array") return byteCount + packedSize(part.numbers);
  return byteCount + 1 + (part.blocks === undefined ? 0 : blocksSize(part.blocks));
}

function readPart(from: IndexCursor): PartIndex {
  const type = from.uint() === 0 ? "array" : "object";
  const start = from.uint();
  const end = start + from.uint();
  const count = from.uint();
  const spacing = from.uint();
  const part = { start, end, count, spacing, offsets: readNumbers(from) };
  if (type === "array") return { ...part, type, numbers: readNumbers(from) };
  return from.uint() === 0 ? { ...part, type } : { ...part, type, blocks: readBlocks(from) };
}

function writeBlocks(
  to: VarintWriter,
  { sorted, loose, hashCount, bounds, groupBounds, filters }: KeyBlocks,
): void {
  to.uint(sorted.encodedSize);
  to.raw(sorted.encoded);
  writeNumbers(to, loose);
  to.uint(hashCount);
  writeBounds(to, groupBounds);
  writeBounds(to, bounds);
  writeRows(to, filters);
}

function blocksSize(blocks: KeyBlocks): number {
  const { sorted, loose, hashCount, bounds, groupBounds, filters } = blocks;
  const sortedBytes = uintSize(sorted.encodedSize) + sorted.encodedSize;
  const boundsBytes = boundsSize(groupBounds) + boundsSize(bounds);
  const looseBytes = packedSize(loose) + boundsBytes + packedRowsSize(filters);
  return sortedBytes + uintSize(hashCount) + looseBytes;
}

function readBlocks(from: IndexCursor): KeyBlocks {
  const sorted = new SortedKeys(from);
  const loose = readNumbers(from);
  const hashCount = from.uint();
  const groupBounds = readBounds(from);
  const bounds = readBounds(from);
  return { sorted, loose, hashCount, groupBounds, bounds, filters: readRows(from) };
}

function writeBounds(to: VarintWriter, { prefix, rows }: KeyBoundRows): void {
  to.text(prefix);
  writeRows(to, rows);
}

function boundsSize({ prefix, rows }: KeyBoundRows): number {
  const prefixBytes = Buffer.byteLength(prefix);
  return uintSize(prefixBytes) + prefixBytes + packedRowsSize(rows);
}

function readBounds(from: IndexCursor): KeyBoundRows {
  const prefix = from.text();
  return { prefix, rows: readRows(from) };
}
