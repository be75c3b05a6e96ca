import type { Finding, Quote } from "./finding.js";
import type { Question } from "./question.js";
import { holds, isJson, quoteLines, quoteRecord, quoteStart } from "./quotes.js";
import { findSelector, linesSelector } from "./selectors.js";

/** Looks in a text that is whole in the conversation for what the question asks. */
export function searchText(
  text: string,
  question: Question,
  { source }: { readonly source: string },
): Finding {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === "") lines.pop();
  const totals = `text | ${lines.length} lines | ${Buffer.byteLength(text)} bytes`;
  const quote =
    quotePlace(lines, question) ??
    (question.terms.length === 0 ? quoteRange(lines, 1, lines.length) : quoteTerms(text, question));
  return {
    source,
    totals,
    quotes: quote === undefined ? [] : [quote],
    checked: quote === undefined ? [`all of it, ${lines.length} lines`] : [],
    notes: [],
  };
}

function quotePlace(lines: readonly string[], question: Question): Quote | undefined {
  const { place } = question;
  if (place === undefined) return undefined;
  switch (place.type) {
    case "lines":
      return quoteRange(lines, place.first, place.last);
    case "nth":
      return quoteRange(lines, place.position, place.position);
    case "start":
      return quoteRange(lines, 1, place.count);
    case "end":
      return quoteRange(lines, lines.length - place.count + 1, lines.length);
  }
}

function quoteRange(lines: readonly string[], from: number, to: number): Quote | undefined {
  const first = Math.max(1, from);
  const last = Math.min(lines.length, to);
  if (first > last) return undefined;
  return {
    lines: quoteStart(lines.slice(first - 1, last).join("\n")),
    place: linesSelector(first, last),
  };
}

function quoteTerms(text: string, question: Question): Quote | undefined {
  const term = question.terms.find((candidate) => holds(text, candidate.text));
  if (term === undefined) return undefined;
  if (isJson(text)) {
    const record = quoteRecord(text, term.text, question);
    if (record !== undefined) return { lines: record.lines, place: findSelector(term.text) };
  }
  const numbers = text
    .split(/\r?\n/u)
    .flatMap((line, index) => (holds(line, term.text) ? [index + 1] : []));
  const place = linesSelector(numbers.at(0) ?? 1, numbers.at(-1) ?? 1);
  return { lines: quoteLines(text, term.text, question), place };
}
