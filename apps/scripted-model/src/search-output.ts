import type { Finding } from "./finding.js";
import type { Question } from "./question.js";
import { quoteLines, quoteStart } from "./quotes.js";

/** Where the output of a search tool comes from. */
export interface SearchOutput {
  readonly source: string;
  /** What was searched for. */
  readonly pattern?: string | undefined;
}

const NOTHING =
  /\b(?:no|0|zero|none)\b.{0,20}\b(?:match|result|hit|file|occurrence)|not found|nothing found/iu;
const NOTHING_CHARACTERS = 300;

/** Reads what a search tool found: which files, and the lines. */
export function readSearchOutput(text: string, question: Question, output: SearchOutput): Finding {
  const { source, pattern } = output;
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const isEmpty = lines.length === 0 || /^\s*(?:\[\s*\]|\{\s*\}|null)\s*$/u.test(text);
  const files = listFiles(text);
  const saysNothing = files.length === 0 && text.length < NOTHING_CHARACTERS && NOTHING.test(text);
  if (isEmpty || saysNothing) {
    return { source, quotes: [], checked: ["no match"], notes: [] };
  }
  const found = pattern === undefined ? [] : quoteLines(text, pattern, question);
  return {
    source,
    foundBy: pattern === undefined ? undefined : { term: pattern },
    files,
    quotes: [{ lines: found.length > 0 ? found : quoteStart(text), place: "its output" }],
    checked: [],
    notes: [],
  };
}

const FILE_FORMS = [
  /^\s*([^\s:"{[][^:"\n]*?):\d+(?=:|\s|$)/gmu,
  /"(?:file|path|name|filename)"\s*:\s*"([^"]+)"/gu,
  /^[\s[]*"?([^\s:"[\]{}]+\.\p{L}\w*)"?[\],]*\s*$/gmu,
];

/** The paths in lines such as `src/a.ts:12: text`, in JSON records or alone, each once. */
export function listFiles(text: string): string[] {
  const files = FILE_FORMS.flatMap((form) =>
    Array.from(text.matchAll(form), (match) => match[1] ?? ""),
  );
  return [...new Set(files)];
}
