import { LlmWorkerError } from "../errors.js";

/**
 * What to show of a blob: steps from left to right, each working on what the one before it left.
 * The empty selector is the blob from its beginning.
 */
export type Selector = readonly SelectorStep[];

/**
 * One step.
 *
 * - `lines`: `first` to `last`, 1-based and inclusive. `slice` and `bytes`: `start` to `end`, 0-based
 *   and half-open. Without an upper bound: to the end.
 * - `key`: one own member of an object. `find`: a literal text; always the last step.
 *
 * `key` and `slice` lead to a value, and the steps after them count from its beginning. A slice of
 * one entry with a step after it is that entry. `lines` and `bytes` only narrow: line numbers and
 * offsets after them still count from the beginning of the value.
 */
export type SelectorStep =
  | { readonly type: "lines"; readonly first: number; readonly last?: number | undefined }
  | { readonly type: "slice"; readonly start: number; readonly end?: number | undefined }
  | { readonly type: "bytes"; readonly start: number; readonly end?: number | undefined }
  | { readonly type: "key"; readonly name: string }
  | { readonly type: "find"; readonly text: string };

/** A text is not a selector. `position` is where in it, in UTF-16 units. */
export class SelectorError extends LlmWorkerError {
  readonly code = "bad_selector";
  readonly position: number;
  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** The verbs, each with an example of its form. */
export const selectorForms: Readonly<Record<SelectorStep["type"], string>> = {
  lines: "lines:20-50",
  slice: "slice:3..8",
  key: "key:NAME",
  bytes: "bytes:0-4096",
  find: "find:TEXT",
};

/**
 * Reads a selector such as `key:results | slice:0..5`. Spaces around steps and values do not count;
 * a name or text that needs them, or that contains `|`, is written as a JSON string: `find:"a | b"`.
 * `lines:7`, `lines:7-`, `slice:7`, `slice:7..` and `bytes:7-` work too.
 *
 * @throws SelectorError with the place and what belongs there
 */
export function parseSelector(text: string): Selector {
  const steps: SelectorStep[] = [];
  let position = skipSpaces(text, 0);
  let before: Parsed | undefined;
  while (position < text.length || before !== undefined) {
    const parsed = parseStep(text, position, before);
    steps.push(parsed.step);
    if (parsed.end === text.length) break;
    // A step ends at the end or at a bar.
    if (parsed.step.type === "find") {
      throw new SelectorError(`find: is the last step${quoteBarHint(text, parsed)}`, parsed.end);
    }
    before = parsed;
    position = skipSpaces(text, parsed.end + 1);
  }
  return steps;
}

/** Writes a selector so that {@link parseSelector} reads the same steps. One line, whatever the names. */
export function printSelector(selector: Selector): string {
  return selector.map(printStep).join(" | ");
}

function printStep(step: SelectorStep): string {
  switch (step.type) {
    case "lines":
      return `lines:${step.first}-${step.last ?? ""}`;
    case "slice":
      return `slice:${step.start}..${step.end ?? ""}`;
    case "bytes":
      return `bytes:${step.start}-${step.end ?? ""}`;
    case "key":
      return `key:${printText(step.name)}`;
    case "find":
      return `find:${printText(step.text)}`;
  }
}

// What is read as it stands: no bar, no quote, nothing that breaks the line, no spaces at the ends.
// In ranges: the first use of `\p{Cc}` and the like takes a third of a millisecond.
const BARE = /^(?!\s)[ !#-{}~\u00a0-\u2027\u202a-\ud7ff\ue000-\u{10ffff}]+$(?<!\s)/u;

function printText(text: string): string {
  if (BARE.test(text)) return text;
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, escapeUnit);
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

interface Parsed {
  readonly step: SelectorStep;
  /** Where what follows the colon begins. */
  readonly body: number;
  /** Where the step ends: the end of the text or a bar. */
  readonly end: number;
}

function parseStep(text: string, start: number, before: Parsed | undefined): Parsed {
  const verb = /[^\s:|"]*/y;
  verb.lastIndex = start;
  const name = verb.exec(text)?.[0] ?? "";
  if (text[start + name.length] !== ":" || !isVerb(name)) {
    const hint = before === undefined ? "" : quoteBarHint(text, before);
    throw new SelectorError(describeUnknown(text, start, name) + hint, start);
  }
  const body = skipSpaces(text, start + name.length + 1);
  switch (name) {
    case "key": {
      const { value, end } = parseText(text, body, name);
      return { step: { type: "key", name: value }, body, end };
    }
    case "find": {
      const { value, end } = parseText(text, body, name);
      if (value === "") throw new SelectorError("find: needs a text", body);
      return { step: { type: "find", text: value }, body, end };
    }
    case "lines":
    case "slice":
    case "bytes": {
      const end = endOfBare(text, body);
      return { step: parseRange(text, body, end, name), body, end };
    }
  }
}

function isVerb(name: string): name is SelectorStep["type"] {
  return Object.hasOwn(selectorForms, name);
}

function describeUnknown(text: string, start: number, name: string): string {
  const lower = name.toLowerCase();
  if (start === text.length) return 'a step is missing after "|"';
  if (name === "") return "a step begins with its name and a colon";
  if (isVerb(lower)) return `the form is ${selectorForms[lower]}, in lower case`;
  return `unknown step ${JSON.stringify(name.slice(0, 40))}`;
}

function quoteBarHint(text: string, before: Parsed): string {
  const { type } = before.step;
  if ((type !== "key" && type !== "find") || text[before.body] === '"') return "";
  return `; if "|" belongs to the text, ${quoteHint(text, before.body, type)}`;
}

function quoteHint(text: string, body: number, verb: "key" | "find"): string {
  return `write ${verb}:${JSON.stringify(text.slice(body).trimEnd())}`;
}

interface ParsedText {
  readonly value: string;
  readonly end: number;
}

function parseText(text: string, start: number, verb: "key" | "find"): ParsedText {
  if (text[start] === '"') return parseQuoted(text, start, verb);
  const end = endOfBare(text, start);
  const value = text.slice(start, end).trimEnd();
  if (value === "") throw new SelectorError(`the form is ${selectorForms[verb]}`, start);
  return { value, end };
}

function parseQuoted(text: string, start: number, verb: "key" | "find"): ParsedText {
  const literal = /"(?:[^"\\]|\\[^])*"/y;
  literal.lastIndex = start;
  const raw = literal.exec(text)?.[0];
  if (raw === undefined) {
    const hint = quoteHint(text, start, verb);
    throw new SelectorError(`the quote is not closed; if it belongs to the text, ${hint}`, start);
  }
  const end = skipSpaces(text, start + raw.length);
  if (end < text.length && text[end] !== "|") {
    const hint = quoteHint(text, start, verb);
    throw new SelectorError(
      `only " | " may follow here; if quotes belong to the text, ${hint}`,
      end,
    );
  }
  try {
    return { value: String(JSON.parse(raw)), end };
  } catch {
    throw new SelectorError("not a JSON string: write \\ as \\\\ and a line end as \\n", start);
  }
}

const rangeForms = {
  lines: /^(\d+)(?:-(\d*))?$/,
  slice: /^(\d+)(?:\.\.(\d*))?$/,
  bytes: /^(\d+)-(\d*)$/,
} as const;

function parseRange(
  text: string,
  start: number,
  end: number,
  verb: "lines" | "slice" | "bytes",
): SelectorStep {
  const match = rangeForms[verb].exec(text.slice(start, end).trimEnd());
  if (match === null) {
    throw new SelectorError(`the form is ${selectorForms[verb]}, in whole numbers`, start);
  }
  // Nothing is so large that a larger number would be another place.
  const from = Math.min(Number(match[1]), Number.MAX_SAFE_INTEGER - 1);
  const to = match[2] ? Math.min(Number(match[2]), Number.MAX_SAFE_INTEGER) : undefined;
  // "7" is one line or entry; "7-" and "7.." go on to the end.
  const isSingle = match[2] === undefined;
  if (verb === "lines") return { type: verb, first: from, last: isSingle ? from : to };
  return { type: verb, start: from, end: isSingle ? from + 1 : to };
}

function endOfBare(text: string, start: number): number {
  const bar = text.indexOf("|", start);
  return bar === -1 ? text.length : bar;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}
