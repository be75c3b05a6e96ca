import type { Finding, Quote } from "./finding.js";
import type { Question } from "./question.js";

const MAX_FILES = 20;

/** Says what was found, quoting it with its place, or that it was not in what was read. */
export function composeAnswer(question: Question, findings: readonly Finding[]): string {
  const found = findings.filter((finding) => finding.quotes.length > 0);
  const missed = findings.filter((finding) => finding.quotes.length === 0);
  const parts = [
    ...found.map((finding) => sayFound(finding, question)),
    ...missed.map((finding) => sayMissed(finding, question)),
  ];
  return parts.join("\n\n");
}

function sayFound(finding: Finding, question: Question): string {
  const { source, foundBy, missed = [], files, quotes, notes } = finding;
  const lines = [...notes];
  if (missed.length > 0 && foundBy !== undefined) {
    lines.push(
      `I did not find ${list(missed)} in ${source}; what comes nearest is "${foundBy.term}".`,
    );
  }
  if (files !== undefined && files.length > 0) lines.push(sayFiles(files));
  else if (foundBy?.count !== undefined) {
    const times = foundBy.count === 1 ? "once" : `${foundBy.count} times`;
    lines.push(`"${foundBy.term}" occurs ${times} in ${source}.`);
  }
  if (question.asksForTotals && finding.totals !== undefined) {
    lines.push(`${source} in all: ${finding.totals}.`);
  }
  return [...lines, ...quotes.map((quote) => sayQuote(quote, source))].join("\n");
}

function list(terms: readonly string[]): string {
  return terms.map((term) => `"${term}"`).join(", ");
}

function sayFiles(files: readonly string[]): string {
  const names = files.slice(0, MAX_FILES).join(", ");
  const more = files.length > MAX_FILES ? `, and ${files.length - MAX_FILES} more` : "";
  return `${files.length === 1 ? "One file has it" : `${files.length} files have it`}: ${names}${more}.`;
}

function sayQuote(quote: Quote, source: string): string {
  return `${quote.lines.map((line) => `> ${line}`).join("\n")}\n(from ${source}, ${quote.place})`;
}

function sayMissed(finding: Finding, question: Question): string {
  const { source, totals, checked, notes } = finding;
  const wanted = list(question.terms.slice(0, 3).map((term) => term.text));
  const lines = [...notes];
  if (checked.length > 0 || notes.length === 0) {
    const what = wanted === "" ? "what you ask for" : wanted;
    const read = checked.length > 0 ? ` (${checked.join("; ")})` : "";
    lines.push(`I did not find ${what} in what I read of ${source}${read}.`);
  }
  if (totals !== undefined && (checked.length === 0 || question.asksForTotals))
    lines.push(`${source}: ${totals}.`);
  return lines.join("\n");
}
