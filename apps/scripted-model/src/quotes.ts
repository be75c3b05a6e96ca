import type { Question } from "./question.js";
import { splitWords } from "./terms.js";

const MAX_LINES = 6;
const MAX_LINE_CHARACTERS = 300;
const MAX_RECORD_CHARACTERS = 600;
/** Opening braces that are tried, going back from a match, to find the record around it. */
const MAX_BRACES = 50;

/** Whether a text holds a term, letters in either case. */
export function holds(text: string, term: string): boolean {
  return text.toLowerCase().includes(term.toLowerCase());
}

/** Whether a term stands in a text with no letter or digit before or behind it. */
export function holdsWhole(text: string, term: string): boolean {
  return wholeIndex(text, term) !== -1;
}

/**
 * The lines of a text that hold a term, those first that hold more of what the question names;
 * lines that continue a match (an indented stack trace) go with it.
 */
export function quoteLines(text: string, term: string, question: Question): string[] {
  const lines = text.split(/\r?\n/u);
  const hits = lines.flatMap((line, index) =>
    holds(line, term) ? [{ index, score: scoreContext(line, term, question) }] : [],
  );
  const best = hits.toSorted((a, b) => b.score - a.score).slice(0, MAX_LINES);
  const chosen = new Set(best.map((hit) => hit.index));
  for (const { index } of best) {
    for (let next = index + 1; /^\s+\S/u.test(lines[next] ?? ""); next++) {
      if (chosen.size >= MAX_LINES) break;
      chosen.add(next);
    }
  }
  return [...chosen].toSorted((a, b) => a - b).map((index) => clipAround(lines[index] ?? "", term));
}

/** The first lines of a text, each at a quotable length. */
export function quoteStart(text: string, lineCount: number = MAX_LINES): string[] {
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, lineCount).map((line) => clip(line, 0, MAX_LINE_CHARACTERS));
  return lines.length > lineCount ? [...shown, "…"] : shown;
}

/** What a JSON text says around a term: the fields that the question names, then the record. */
export interface RecordQuote {
  readonly lines: readonly string[];
  /** Whether the text held the record from its beginning to its end. */
  readonly isWhole: boolean;
}

/** Quotes the record around a term from a piece of JSON text, which may be cut anywhere. */
export function quoteRecord(
  json: string,
  term: string,
  question: Question,
): RecordQuote | undefined {
  const whole = wholeIndex(json, term);
  const at = whole === -1 ? json.toLowerCase().indexOf(term.toLowerCase()) : whole;
  if (at === -1) return undefined;
  const record = enclosingObject(json, at);
  if (record === undefined) {
    const from = Math.max(0, at - MAX_LINE_CHARACTERS / 2);
    return { lines: [oneLine(clip(json, from, MAX_LINE_CHARACTERS))], isWhole: false };
  }
  const inRecord = record.indexOf(json.slice(at, at + term.length));
  const from = Math.max(0, inRecord - MAX_RECORD_CHARACTERS / 2);
  const shown = clip(record, from, MAX_RECORD_CHARACTERS);
  return { lines: [...namedFields(record, question, term), oneLine(shown)], isWhole: true };
}

/** The scalar fields of a JSON text whose names the question holds, as `name: value`. */
export function namedFields(json: string, question: Question, term: string): string[] {
  const fields = new Map<string, string>();
  const members = json.matchAll(
    /"((?:[^"\\]|\\.){1,80})"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/gu,
  );
  for (const [, name = "", raw = ""] of members) {
    const value = raw.startsWith('"') ? unquote(raw) : raw;
    if (!isNamed(name, question) || value === term || fields.has(name)) continue;
    fields.set(name, `${name}: ${value}`);
  }
  return [...fields.values()].slice(0, MAX_LINES);
}

/** Whether the question holds a key: as it is, in either number, or word by word. */
export function isNamed(key: string, question: Question): boolean {
  const lower = key.toLowerCase();
  const forms = [lower, `${lower}s`, lower.replace(/s$/u, "")];
  if (forms.some((form) => question.words.has(form))) return true;
  const words = splitWords(key).filter((word) => word !== lower);
  return words.length > 0 && words.every((word) => question.wordParts.has(word));
}

/** How well a context fits the question beyond holding the term. */
export function scoreContext(context: string, term: string, question: Question): number {
  let score = holdsWhole(context, term) ? 4 : 0;
  const pattern = escapeRegExp(term);
  if (new RegExp(String.raw`"(?:\w*_)?id"\s*:\s*"?${pattern}(?!\w)`, "iu").test(context))
    score += 2;
  for (const other of question.terms) {
    if (other.text === term || !holds(context, other.text)) continue;
    score += other.rank === "word" || other.rank === "phrase" ? 1 : 2;
  }
  return score;
}

function wholeIndex(text: string, term: string): number {
  const pattern = String.raw`(?<![\p{L}\p{N}_])${escapeRegExp(term)}(?![\p{L}\p{N}_])`;
  return text.search(new RegExp(pattern, "iu"));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

function enclosingObject(json: string, at: number): string | undefined {
  let open = at;
  for (let tries = 0; tries < MAX_BRACES; tries++) {
    open = open <= 0 ? -1 : json.lastIndexOf("{", open - 1);
    if (open === -1) return undefined;
    const end = findClosingBrace(json, open);
    if (end > at && isJson(json.slice(open, end))) return json.slice(open, end);
  }
  return undefined;
}

/** The index behind the brace that closes the one at `open`; -1 if the text ends before. */
function findClosingBrace(json: string, open: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = open; at < json.length; at++) {
    const character = json[at];
    if (character === "\\" && isInString) at++;
    else if (character === '"') isInString = !isInString;
    else if (character === "{" && !isInString) depth++;
    else if (character === "}" && !isInString && --depth === 0) return at + 1;
  }
  return -1;
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unquote(raw: string): string {
  return isJson(raw) ? String(JSON.parse(raw)) : raw;
}

function clipAround(line: string, term: string): string {
  const at = line.toLowerCase().indexOf(term.toLowerCase());
  return clip(line, Math.max(0, at - MAX_LINE_CHARACTERS / 2), MAX_LINE_CHARACTERS);
}

/** A part of a line, its cut ends marked, whole characters only. */
function clip(line: string, from: number, length: number): string {
  if (line.length <= length) return line;
  const start = isLowSurrogate(line, from) ? from + 1 : from;
  const end = isLowSurrogate(line, start + length) ? start + length - 1 : start + length;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

function isLowSurrogate(text: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(text.charAt(at));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/gu, " ");
}
