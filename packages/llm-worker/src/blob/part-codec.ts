import type { KeyBlock, KeyBlocks, PartIndex } from "./blob-index.js";
import { FILTER_BYTES } from "./key-blocks.js";
import { escapeText, unescapeText } from "./text-codec.js";
import { VarintCounter, type VarintReader, type VarintSink } from "./varint.js";

const UNKNOWN_BLOCK = 0;
const BOUNDED_BLOCK = 1;
const FILTERED_BLOCK = 2;

/** Bytes that the parts take in an encoded index. */
export function encodedPartsSize(parts: readonly PartIndex[]): number {
  const counter = new VarintCounter();
  writeParts(counter, parts);
  return counter.byteCount;
}

/** Writes parts, which are in order of their beginning. */
export function writeParts(to: VarintSink, parts: readonly PartIndex[]): void {
  to.uint(parts.length);
  let before = 0;
  for (const part of parts) {
    to.uint(part.type === "array" ? 0 : 1);
    to.uint(part.start - before);
    to.uint(part.end - part.start);
    to.uint(part.count);
    to.uint(part.spacing);
    to.uint(part.offsets.length);
    writeIncreasing(to, part.numbers, 0);
    writeIncreasing(to, part.offsets, part.start);
    if (part.type === "object") writeBlocks(to, part.blocks);
    before = part.start;
  }
}

/** Reads what {@link writeParts} wrote. Throws a `RangeError` where the bytes do not allow it. */
export function readParts(from: VarintReader): PartIndex[] {
  const parts: PartIndex[] = [];
  let before = 0;
  for (let left = from.uint(); left > 0; left--) {
    const type = from.uint() === 0 ? "array" : "object";
    const start = before + from.uint();
    const end = start + from.uint();
    const count = from.uint();
    const spacing = from.uint();
    const length = from.uint();
    // Each takes two bytes at least: no broken length makes a giant array.
    if (length > from.remaining / 2) throw new RangeError("no such part");
    const numbers = from.increasing(length, 0);
    const offsets = from.increasing(length, start);
    const blocks = type === "object" ? readBlocks(from, length + 1) : undefined;
    const part = { type, start, end, count, spacing, numbers, offsets } as const;
    parts.push(blocks === undefined ? part : { ...part, blocks });
    before = start;
  }
  return parts;
}

function writeIncreasing(to: VarintSink, values: Float64Array, first: number): void {
  let before = first;
  for (const value of values) {
    to.uint(value - before);
    before = value;
  }
}

function writeBlocks(to: VarintSink, keyBlocks: KeyBlocks | undefined): void {
  to.uint(keyBlocks === undefined ? 0 : keyBlocks.hashCount + 1);
  let before = "";
  for (const block of keyBlocks?.blocks ?? []) {
    if (block === undefined) {
      to.uint(UNKNOWN_BLOCK);
      continue;
    }
    const { lowest, highest, filter } = block;
    to.uint(filter === undefined ? BOUNDED_BLOCK : FILTERED_BLOCK);
    writeAfter(to, lowest, before);
    writeAfter(to, highest, lowest);
    if (filter !== undefined) to.raw(filter);
    before = highest;
  }
}

function readBlocks(from: VarintReader, length: number): KeyBlocks | undefined {
  const hashCount = from.uint() - 1;
  if (hashCount < 0) return undefined;
  const blocks: (KeyBlock | undefined)[] = [];
  let before = "";
  while (blocks.length < length) {
    const type = from.uint();
    if (type === UNKNOWN_BLOCK) {
      blocks.push(undefined);
      continue;
    }
    const lowest = readAfter(from, before);
    const highest = readAfter(from, lowest);
    const filter = type === FILTERED_BLOCK ? from.raw(FILTER_BYTES) : undefined;
    blocks.push(filter === undefined ? { lowest, highest } : { lowest, highest, filter });
    before = highest;
  }
  return { hashCount, blocks };
}

/** A text that often begins like the one before it: what they share is not written again. */
function writeAfter(to: VarintSink, text: string, before: string): void {
  let shared = 0;
  while (shared < text.length && text[shared] === before[shared]) shared++;
  to.uint(shared);
  to.text(escapeText(text.slice(shared)));
}

function readAfter(from: VarintReader, before: string): string {
  const shared = from.uint();
  return before.slice(0, shared) + unescapeText(from.text());
}
