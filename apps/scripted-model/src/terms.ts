import { isStopWord } from "./stop-words.js";

/** How much a term tells: quoted text most, an ordinary word least. */
export type TermRank = "literal" | "identifier" | "number" | "name" | "phrase" | "word";

/** Something to look for. */
export interface Term {
  readonly text: string;
  readonly rank: TermRank;
}

const RANKS: readonly TermRank[] = ["literal", "identifier", "number", "name", "phrase", "word"];
const MAX_TERMS = 8;
/** Digits that a number needs to be telling on its own. */
const TELLING_DIGITS = 3;

/** Whether a term stands for one particular thing. */
export function isStrong(term: Term): boolean {
  return term.rank === "literal" || term.rank === "identifier" || term.rank === "number";
}

/** The terms of a question whose quoted parts and paths were taken out, the most telling first. */
export function findTerms(rest: string, literals: readonly string[]): Term[] {
  const tokens = tokenise(rest);
  const singles = tokens.flatMap(({ text, isSentenceStart }): Term[] =>
    isStopWord(text.toLowerCase()) || isFragment(text)
      ? []
      : [{ text, rank: rankOf(text, isSentenceStart) }],
  );
  const all: Term[] = [
    ...literals.map((text): Term => ({ text, rank: "literal" })),
    ...singles,
    ...findPhrases(tokens),
  ];
  const ranked = all.toSorted(
    (a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) || byLength(a, b),
  );
  const seen = new Set<string>();
  return ranked
    .filter((term) => !seen.has(term.text.toLowerCase()) && seen.add(term.text.toLowerCase()))
    .slice(0, MAX_TERMS);
}

/** All words of a text in lower case, as they stand. */
export function wholeWords(text: string): string[] {
  return tokenise(text).map((token) => token.text.toLowerCase());
}

/** All words of a text in lower case; `retry_budget` and `retryBudget` are also two words. */
export function splitWords(text: string): string[] {
  return tokenise(text).flatMap((token) => {
    const parts = token.text
      .split(/[-_.:@#/+]|(?<=\p{Ll})(?=\p{Lu})/u)
      .filter((part) => part !== "");
    return [...new Set([token.text, ...parts])].map((part) => part.toLowerCase());
  });
}

interface Token {
  readonly text: string;
  readonly isSentenceStart: boolean;
  /** Only space lies between this one and the one before it. */
  readonly followsDirectly: boolean;
}

const TOKEN = /[\p{L}\p{N}\p{M}_]+(?:[-.:@#/+][\p{L}\p{N}\p{M}_]+)*/gu;
/** Scripts that write no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/u;
const UNSPACED_RUNS = new RegExp(`(${UNSPACED.source})`, "u");
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let previousEnd = 0;
  for (const match of text.matchAll(TOKEN)) {
    const gap = text.slice(previousEnd, match.index);
    const isSentenceStart = tokens.length === 0 || /[.!?:。？！]\s*$/u.test(gap);
    const words = match[0]
      .split(UNSPACED_RUNS)
      .filter((run) => run !== "")
      .flatMap((run) => (UNSPACED.test(run) ? segment(run) : [run]));
    words.forEach((word, index) => {
      tokens.push({
        text: word,
        isSentenceStart: isSentenceStart && index === 0,
        followsDirectly: index === 0 && tokens.length > 0 && /^\s+$/u.test(gap),
      });
    });
    previousEnd = match.index + match[0].length;
  }
  return tokens;
}

function segment(run: string): string[] {
  return Array.from(segmenter.segment(run), (part) => part.segment);
}

/** Left-overs such as the "s" of "user's", and single letters of unspaced scripts' grammar. */
function isFragment(text: string): boolean {
  return /^(?:\p{Ll}|[\p{Script=Hiragana}]{1,2}|_+)$/u.test(text);
}

function rankOf(text: string, isSentenceStart: boolean): TermRank {
  if (/^\d[\d.:]*$/u.test(text) && !/\D.*\D/u.test(text)) {
    return text.length >= TELLING_DIGITS ? "number" : "phrase";
  }
  const isComposed = /[_.:@#/+]/u.test(text) || /\p{Ll}\p{Lu}/u.test(text);
  if (isComposed || /\d/u.test(text)) return "identifier";
  // Codes such as ECONNRESET; short ones are words of their own (API, OK).
  if (/^\p{Lu}{6,}$/u.test(text)) return "identifier";
  if (/^\p{Lu}{2,}$/u.test(text)) return "name";
  return /^\p{Lu}/u.test(text) && !isSentenceStart ? "name" : "word";
}

/** Neighbouring words such as "retry budget", which tell more together than alone. */
function findPhrases(tokens: readonly Token[]): Term[] {
  const phrases: Term[] = [];
  let run: Token[] = [];
  const endRun = (): void => {
    const isName = run.some((token) => rankOf(token.text, token.isSentenceStart) === "name");
    const text = run.map((token) => token.text).join(" ");
    if (run.length > 1) phrases.push({ text, rank: isName ? "name" : "phrase" });
    run = [];
  };
  for (const token of tokens) {
    const rank = rankOf(token.text, token.isSentenceStart);
    const isPlain = (rank === "word" || rank === "name") && !isStopWord(token.text.toLowerCase());
    if (!token.followsDirectly || !isPlain || run.length === MAX_PHRASE_WORDS) endRun();
    if (isPlain) run.push(token);
  }
  endRun();
  return phrases;
}

const MAX_PHRASE_WORDS = 3;

function byLength(a: Term, b: Term): number {
  const isByLength = a.rank === "word" || a.rank === "name" || a.rank === "phrase";
  return isByLength ? weight(b.text) - weight(a.text) : 0;
}

/** A character of an unspaced script says about as much as three letters. */
function weight(text: string): number {
  return UNSPACED.test(text) ? text.length * 3 : text.length;
}
