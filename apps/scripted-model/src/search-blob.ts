import type { BlobReading, Desk, Part } from "./blob-reading.js";
import type { Finding, Quote } from "./finding.js";
import type { Question } from "./question.js";
import {
  holds,
  holdsWhole,
  isNamed,
  namedFields,
  quoteLines,
  quoteRecord,
  quoteStart,
} from "./quotes.js";
import { readAround } from "./read-around.js";
import { readPlace } from "./read-place.js";
import { spellings } from "./spellings.js";
import { type BlobSummary, type FindHit, readFindHits } from "./read-results.js";
import type { Script } from "./script.js";
import { chain, findSelector, keySelector } from "./selectors.js";
import { isStrong, type Term } from "./terms.js";

/** So many further pages of matches are read to meet the term as a whole word. */
const MAX_FURTHER_PAGES = 2;
const NO_TOOL = "No tool that I may call reads stored outputs; I have only the summary.";
const MAX_STEPS_AFTER_SEARCH = 3;
const NO_TERM_LINES = 8;

/** Looks in a stored output for what the question asks, until it is found or the calls are used up. */
export function* searchBlob(desk: Desk, reading: BlobReading, source: string): Script<Finding> {
  const { totals, kind } = reading.blob;
  if (kind === "binary") {
    return { source, totals, quotes: [], checked: [], notes: ["It is binary: no text to quote."] };
  }
  const question = withoutWeakTerms(desk.question, reading.blob);
  const found = yield* look(reading, question);
  return {
    source,
    totals,
    ...found,
    checked: reading.checked,
    notes: reading.hasTool ? reading.failures : [NO_TOOL],
  };
}

/** What a way of looking brought. */
type Found = Pick<Finding, "quotes" | "foundBy" | "missed">;

function* look(reading: BlobReading, question: Question): Script<Found> {
  const place = yield* readPlace(reading, question);
  if (place !== undefined) return { quotes: [place] };
  const key = yield* readNamedKey(reading, question);
  if (key?.isSure === true) return key.found;
  return (
    (yield* searchTerms(reading, question, "")) ??
    key?.found ??
    (yield* stepThrough(reading, question)) ?? { quotes: quoteSummary(reading, question) }
  );
}

/** "How many users" asks for the totals of a list, not for the word "users" in it. */
function withoutWeakTerms(question: Question, blob: BlobSummary): Question {
  const isCount = question.asksForTotals && blob.kind.startsWith("json");
  return isCount ? { ...question, terms: question.terms.filter(isStrong) } : question;
}

interface NamedKey {
  readonly found: Found;
  /** The value has what else the question asks for. */
  readonly isSure: boolean;
}

/** For an object: the value of a key that the question names. */
function* readNamedKey(reading: BlobReading, question: Question): Script<NamedKey | undefined> {
  if (reading.blob.kind !== "json_object") return undefined;
  const path = namedKeyPath(reading.blob, question);
  if (path === undefined) return undefined;
  const selector = chain(...path.map(keySelector));
  const part = yield* reading.read(selector);
  if (part === undefined) return undefined;
  const names = [...path, path.join(".")];
  const wanted = question.terms.filter((term) => isStrong(term) && !names.includes(term.text));
  const seen = wanted.find((term) => holds(part.payload, term.text));
  if (wanted.length > 0 && seen === undefined && part.next !== undefined) {
    const deeper = yield* searchTerms(reading, { ...question, terms: wanted }, selector);
    if (deeper !== undefined) return { found: deeper, isSure: true };
  }
  const found = { quotes: [quotePart(part, selector, question, seen)] };
  return { found, isSure: wanted.length === 0 || seen !== undefined };
}

/** `port`, or for "server.port" both keys; a key that the summary does not list only if it is telling. */
function namedKeyPath(blob: BlobSummary, question: Question): string[] | undefined {
  for (const term of question.terms) {
    if (blob.keys.includes(term.text)) return [term.text];
    const path = term.text.split(".");
    if (path.length > 1 && blob.keys.includes(path[0] ?? "")) return path;
  }
  const listed = blob.keys
    .filter((key) => isNamed(key, question))
    .toSorted((a, b) => b.length - a.length);
  if (listed[0] !== undefined) return [listed[0]];
  const telling = question.terms.find(
    (term) => term.rank === "literal" || term.rank === "identifier",
  );
  return blob.listsAllKeys || telling === undefined ? undefined : [telling.text];
}

/** Looks for one term after the other, and reads around the matches of the first that has any. */
function* searchTerms(
  reading: BlobReading,
  question: Question,
  prefix: string,
): Script<Found | undefined> {
  const missed = new Set<string>();
  for (const { term, text } of spellings(reading.blob, question.terms)) {
    const selector = chain(prefix, findSelector(text));
    const part = yield* reading.read(selector);
    if (part === undefined) continue;
    const hits = yield* collectHits(reading, part, term);
    if (hits.length === 0) {
      reading.checked.push(`${selector}: no match`);
      missed.add(term.text);
      continue;
    }
    missed.delete(term.text);
    const matches = { hits, term: term.text, prefix, selector, kind: part.kind };
    const quotes = yield* readAround(reading, matches, question);
    // A count of longer words that hold the term would say nothing about the term.
    const isExact = hits.every((hit) => holdsWhole(hit.context, term.text));
    const count = isExact && text === term.text ? (part.matchCount ?? hits.length) : undefined;
    return { quotes, foundBy: { term: term.text, count }, missed: [...missed] };
  }
  return undefined;
}

/** The matches of a `find:`; of the later ones too while only longer words or numbers have matched. */
function* collectHits(reading: BlobReading, first: Part, term: Term): Script<readonly FindHit[]> {
  const hits = readFindHits(first.payload);
  let { next } = first;
  for (let pages = 0; pages < MAX_FURTHER_PAGES && hits.length > 0; pages++) {
    if (next === undefined || hits.some((hit) => holdsWhole(hit.context, term.text))) break;
    const part = yield* reading.read(next);
    hits.push(...readFindHits(part?.payload ?? ""));
    next = part?.next;
  }
  return hits;
}

/** Reads from the beginning on, part by part. Without terms the first part is the answer. */
function* stepThrough(reading: BlobReading, question: Question): Script<Found | undefined> {
  const isSearch = question.terms.length > 0;
  let selector = "";
  let steps = reading.checked.length > 0 ? MAX_STEPS_AFTER_SEARCH : Number.POSITIVE_INFINITY;
  while (steps-- > 0 && reading.callsLeft > 0) {
    const part = yield* reading.read(selector);
    if (part === undefined) return undefined;
    const term = question.terms.find(({ text }) => holds(part.payload, text));
    if (term !== undefined || !isSearch) {
      return {
        quotes: [quotePart(part, selector, question, term), ...quoteTail(reading, isSearch)],
      };
    }
    reading.checked.push(part.shown);
    if (part.next === undefined) return undefined;
    selector = part.next;
  }
  return undefined;
}

function quoteTail(reading: BlobReading, isSearch: boolean): Quote[] {
  const { tail } = reading.blob;
  return isSearch || tail === "" ? [] : [{ lines: quoteStart(tail), place: "tail of the summary" }];
}

function quotePart(part: Part, selector: string, question: Question, term?: Term): Quote {
  const place = selector === "" ? part.place : selector;
  if (term === undefined) {
    const fields = namedFields(part.payload, question, "");
    return { lines: [...fields, ...quoteStart(part.payload, NO_TERM_LINES)], place };
  }
  const isJson = part.kind.startsWith("json");
  const record = isJson ? quoteRecord(part.payload, term.text, question) : undefined;
  return { lines: record?.lines ?? quoteLines(part.payload, term.text, question), place };
}

/** With nothing else at hand: what the summary itself shows. */
function quoteSummary(reading: BlobReading, question: Question): Quote[] {
  const { head, tail } = reading.blob;
  return [head, tail].flatMap((sample, index): Quote[] => {
    const term = question.terms.find(({ text }) => holds(sample, text));
    if (sample === "" || (term === undefined && question.terms.length > 0)) return [];
    const lines = term === undefined ? quoteStart(sample) : quoteLines(sample, term.text, question);
    return [{ lines, place: `${index === 0 ? "head" : "tail"} of the summary` }];
  });
}
