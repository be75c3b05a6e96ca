import type { BlobReading } from "./blob-reading.js";
import type { Quote } from "./finding.js";
import type { Question } from "./question.js";
import { quoteLines, quoteRecord, scoreContext } from "./quotes.js";
import type { BlobSummary, FindHit } from "./read-results.js";
import type { Script } from "./script.js";
import { bytesSelector, chain, linesSelector, sliceSelector } from "./selectors.js";

const LINES_AROUND = 3;
const MAX_WINDOW_LINES = 40;
/** Lines longer than this on average are read by bytes. */
const LONG_LINE_BYTES = 1000;
/** How much is read around a match by bytes: a record, and if it did not fit, once more. */
const BYTES_AROUND = [
  { before: 400, after: 800 },
  { before: 5000, after: 7000 },
] as const;

/** Matches of a `find:` and how they were asked for. */
export interface Matches {
  readonly hits: readonly FindHit[];
  readonly term: string;
  /** The steps that lead to the value that was searched. */
  readonly prefix: string;
  /** The whole `find:` selector. */
  readonly selector: string;
  /** Of the value that was searched. */
  readonly kind: string;
}

/** Reads around the matches that fit the question best, and quotes them. */
export function* readAround(
  reading: BlobReading,
  matches: Matches,
  question: Question,
): Script<readonly Quote[]> {
  const best = bestHits(matches, question);
  const quotes = isReadByLine(reading.blob, matches, best)
    ? yield* readLines(reading, matches, best, question)
    : yield* readRecords(reading, matches, best, question);
  if (quotes.length > 0) return quotes;
  // The matches themselves were read: they stand when the calls are used up.
  const lines = best.slice(0, LINES_AROUND * 2).map((hit) => hit.context);
  return [{ lines, place: matches.selector }];
}

function bestHits(matches: Matches, question: Question): FindHit[] {
  const scored = matches.hits.map((hit) => ({
    hit,
    score: scoreContext(hit.context, matches.term, question),
  }));
  const highest = Math.max(...scored.map(({ score }) => score));
  return scored.filter(({ score }) => score === highest).map(({ hit }) => hit);
}

function isReadByLine(blob: BlobSummary, matches: Matches, hits: readonly FindHit[]): boolean {
  if (!/^(?:text|string)$/u.test(matches.kind) || hits[0]?.line === undefined) return false;
  // Of a value behind a key the totals are not known.
  if (matches.prefix !== "") return true;
  const averageBytes = (blob.byteCount ?? 0) / Math.max(1, blob.lineCount ?? 1);
  return averageBytes <= LONG_LINE_BYTES;
}

function* readLines(
  reading: BlobReading,
  matches: Matches,
  hits: readonly FindHit[],
  question: Question,
): Script<Quote[]> {
  const lineCount = matches.prefix === "" ? reading.blob.lineCount : undefined;
  const windows = lineWindows(hits, lineCount ?? Number.MAX_SAFE_INTEGER);
  // What happened first and what came of it: the first window and the last.
  const ends = [...new Set([windows.at(0), windows.at(-1)])].filter(
    (window) => window !== undefined,
  );
  const quotes: Quote[] = [];
  for (const window of ends) {
    const selector = chain(matches.prefix, linesSelector(window.first, window.last));
    const part = yield* reading.read(selector);
    if (part === undefined) continue;
    const lines = quoteLines(part.payload, matches.term, question);
    if (lines.length > 0) quotes.push({ lines, place: selector });
  }
  return quotes;
}

interface LineWindow {
  readonly first: number;
  readonly last: number;
}

function lineWindows(hits: readonly FindHit[], lineCount: number): LineWindow[] {
  const lines = hits.flatMap((hit) => hit.line ?? []).toSorted((a, b) => a - b);
  const windows: LineWindow[] = [];
  for (const line of lines) {
    const first = Math.max(1, line - LINES_AROUND);
    const last = Math.min(lineCount, line + LINES_AROUND);
    const open = windows.at(-1);
    if (open !== undefined && first <= open.last && last - open.first < MAX_WINDOW_LINES) {
      windows[windows.length - 1] = { first: open.first, last };
    } else {
      windows.push({ first, last });
    }
  }
  return windows;
}

function* readRecords(
  reading: BlobReading,
  matches: Matches,
  hits: readonly FindHit[],
  question: Question,
): Script<Quote[]> {
  const [hit] = hits;
  if (hit === undefined) return [];
  let quote: Quote | undefined;
  for (const selector of recordSelectors(reading.blob, matches, hit)) {
    const part = yield* reading.read(selector);
    if (part === undefined) break;
    const record = quoteRecord(part.payload, matches.term, question);
    if (record === undefined) continue;
    quote = { lines: record.lines, place: selector };
    if (record.isWhole || reading.blob.kind === "text") break;
  }
  return quote === undefined ? [] : [quote];
}

function recordSelectors(blob: BlobSummary, matches: Matches, hit: FindHit): string[] {
  if (hit.entry !== undefined) {
    return [chain(matches.prefix, sliceSelector(hit.entry, hit.entry + 1))];
  }
  const { byte } = hit;
  if (byte === undefined) return [];
  // Behind a key the total is that of the value, which is not known here.
  const total = matches.prefix === "" ? blob.byteCount : undefined;
  return BYTES_AROUND.map(({ before, after }) =>
    chain(
      matches.prefix,
      bytesSelector(Math.max(0, byte - before), Math.min(byte + after, total ?? byte + after)),
    ),
  );
}
