import type { ByteSpan } from "../blob/ranges.js";
import type { Part, PartLimits } from "./answer.js";
import { decode } from "./characters.js";
import { showPart } from "./part.js";
import { outOfRange, wholeScope } from "./scope.js";
import { isNdjson, type View } from "./view.js";
import { checkSlice, countEntries, entryRanges, openSlice, type SliceStep } from "./values.js";

/**
 * Shows entries of an array, as written, as an array of their own, or of NDJSON as lines: as many
 * as fit. One that does not fit alone is shown from its beginning.
 */
export async function entriesPart(view: View, step: SliceStep, limits: PartLimits): Promise<Part> {
  checkSlice(view, step);
  const { reader } = view;
  const { start } = step;
  const { maxBytes } = limits;
  const found = await entryRanges(view, start, step.end ?? Infinity, { maxBytes });
  const [first] = found;
  if (first === undefined) throw outOfRange(view, step, `there is no entry ${start}`);
  const shown = found.filter(({ end }) => end - first.start + BRACKET_BYTES <= maxBytes);
  const last = shown.at(-1);
  if (last === undefined) return showUnfit(view, step, limits);

  const shownEnd = start + shown.length;
  const payload = await readEntries(view, { start: first.start, end: last.end });
  const part: Part = {
    kind: view.kind,
    facts: [
      `entries ${start}..${shownEnd} of ${describeTotal(view, start + found.length)}`,
      `bytes ${first.start}-${last.end} of ${reader.stat.byteCount}`,
    ],
    payload,
    text: decode(payload),
  };
  // Those that are found but not shown are what made the search stop.
  if (shown.length === found.length) return part;
  const { entryCount = step.end } = reader.stat;
  const end = step.end === undefined ? entryCount : Math.min(step.end, entryCount ?? Infinity);
  return { ...part, next: [...view.path, { type: "slice", start: shownEnd, end }] };
}

function describeTotal(view: View, foundEnd: number): string {
  const { entryCount } = view.reader.stat;
  if (entryCount !== undefined) return String(entryCount);
  return `at least ${foundEnd}`;
}

async function showUnfit(view: View, step: SliceStep, limits: PartLimits): Promise<Part> {
  const total = await countEntries(view);
  const end = Math.min(step.end ?? Infinity, total);
  const slice = await openSlice(view, { ...step, end });
  return showPart(slice, wholeScope(slice), limits);
}

const BRACKET_BYTES = 2;

async function readEntries(view: View, { start, end }: ByteSpan): Promise<Uint8Array> {
  const entries = await view.reader.read(start, end);
  if (isNdjson(view)) return entries;
  return Buffer.concat([Buffer.from("["), entries, Buffer.from("]")]);
}
