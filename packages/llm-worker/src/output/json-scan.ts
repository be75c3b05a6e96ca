import {
  ARRAY,
  INVALID,
  isJsonSpace,
  jsonTypeOf,
  OBJECT,
  QUOTE,
  scalarEnd,
  skipJsonSpace,
  unescapedUnits,
  UNFINISHED,
  type JsonType,
} from "./json-token.js";

/** One element of the root array, or one member of the root object. */
export interface JsonEntry {
  /** Members only: the name, unescaped. */
  readonly key?: string | undefined;
  readonly type: JsonType;
  /** Where the value begins and ends in the scanned text. */
  readonly start: number;
  readonly end: number;
  /** Elements, members, or UTF-16 units of the unescaped string; absent for other types. */
  readonly size?: number | undefined;
  /** `false`: the scanned text ended within the value, so `size` is what was seen of it. */
  readonly isComplete: boolean;
}

/** What one pass over a JSON text has found. */
export interface JsonScan {
  readonly root: "array" | "object";
  /** All elements or members that begin in the text; duplicate keys count each time. */
  readonly count: number;
  /** The first of them, as many as were asked for. */
  readonly entries: readonly JsonEntry[];
  /** The types of all of them, in order of first appearance. */
  readonly types: readonly JsonType[];
  /** `false`: the text ended within the root. */
  readonly isComplete: boolean;
}

/**
 * Reads a JSON array or object in a string without building its value: no copies, no recursion, so
 * size and depth cost neither memory nor stack. Accepts what `JSON.parse` accepts. For short texts and
 * beginnings; what is to be stored is scanned by `scanStoredJson`.
 *
 * @param extent `prefix`: the text may end anywhere
 * @returns `undefined` if the text is not (the beginning of) one JSON array or object
 */
export function scanJson(
  text: string,
  maxEntries: number,
  extent: "whole" | "prefix" = "whole",
): JsonScan | undefined {
  if (extent === "whole" && !endsAsItBegins(text)) return undefined;
  const recorder = new EntryRecorder(text, maxEntries);
  const outcome = walk(text, recorder);
  if (outcome === "invalid" || (outcome === "unfinished" && extent === "whole")) return undefined;
  return recorder.result(outcome === "finished");
}

/** Two looks that spare most texts which merely begin like JSON a whole scan. */
export function endsAsItBegins(text: string): boolean {
  const first = text.charCodeAt(skipJsonSpace(text, 0));
  let last = text.length - 1;
  while (last > 0 && isJsonSpace(text.charCodeAt(last))) last -= 1;
  return (first === ARRAY || first === OBJECT) && text.charCodeAt(last) === first + TO_CLOSER;
}

/** A closing bracket comes two after its opening one, in both pairs. */
const TO_CLOSER = 2;
const COLON = 0x3a;
const COMMA = 0x2c;

type Expected = "first_or_close" | "member" | "comma_or_close";

/** The grammar of containers. Its state is in local variables: this loop sees every token. */
function walk(text: string, recorder: EntryRecorder): "finished" | "unfinished" | "invalid" {
  const closers: number[] = [];
  let at = skipJsonSpace(text, 0);
  let closer = 0;
  let expected: Expected = "member";
  for (;;) {
    let unit = text.charCodeAt(at);
    if (expected !== "member" && unit === closer) {
      closers.pop();
      at += 1;
      if (closers.length === 0)
        return skipJsonSpace(text, at) === text.length ? "finished" : "invalid";
      if (closers.length === 1) recorder.end(at);
      closer = closers[closers.length - 1] ?? 0;
      expected = "comma_or_close";
    } else if (expected === "comma_or_close") {
      if (unit !== COMMA) return at < text.length ? "invalid" : "unfinished";
      at += 1;
      expected = "member";
    } else {
      if (closer === OBJECT + TO_CLOSER) {
        const nameStart = at;
        at = nameEnd(text, at);
        if (at >= 0 && closers.length === 1) recorder.name(nameStart, at);
        if (at >= 0) at = afterColon(text, at);
        if (at < 0) return problemOf(at);
        unit = text.charCodeAt(at);
      }
      if (at >= text.length) return "unfinished";
      const type = jsonTypeOf(unit);
      if (type === undefined) return "invalid";
      if (closers.length <= 2) recorder.begin(type, at, closers.length);
      if (type === "array" || type === "object") {
        closer = unit + TO_CLOSER;
        closers.push(closer);
        at += 1;
        expected = "first_or_close";
      } else {
        if (closers.length === 0) return "invalid";
        at = scalarEnd(text, at);
        if (at < 0) return problemOf(at);
        if (closers.length === 1) recorder.end(at);
        expected = "comma_or_close";
      }
    }
    at = skipJsonSpace(text, at);
  }
}

function nameEnd(text: string, start: number): number {
  if (start >= text.length) return UNFINISHED;
  return text.charCodeAt(start) === QUOTE ? scalarEnd(text, start) : INVALID;
}

function afterColon(text: string, start: number): number {
  const at = skipJsonSpace(text, start);
  if (at >= text.length) return UNFINISHED;
  return text.charCodeAt(at) === COLON ? skipJsonSpace(text, at + 1) : INVALID;
}

function problemOf(place: number): "unfinished" | "invalid" {
  return place === UNFINISHED ? "unfinished" : "invalid";
}

interface OpenEntry {
  readonly key: string | undefined;
  readonly type: JsonType;
  readonly start: number;
}

/** Keeps what a scan has to tell of the root and of its first entries. */
class EntryRecorder {
  readonly #text: string;
  readonly #maxEntries: number;
  readonly #entries: JsonEntry[] = [];
  readonly #types = new Set<JsonType>();
  #root: "array" | "object" = "array";
  #count = 0;
  #childCount = 0;
  #key: string | undefined;
  #open: OpenEntry | undefined;

  constructor(text: string, maxEntries: number) {
    this.#text = text;
    this.#maxEntries = maxEntries;
  }

  /** A name of the root object, known to be a JSON string; its value follows. */
  name(start: number, end: number): void {
    if (this.#entries.length >= this.#maxEntries) return;
    this.#key = JSON.parse(this.#text.slice(start, end)) as string;
  }

  /** A value begins: the root at depth 0, its entries at 1, their entries at 2. */
  begin(type: JsonType, start: number, depth: number): void {
    if (depth === 2) this.#childCount += 1;
    else if (depth === 0) this.#root = type === "object" ? "object" : "array";
    else {
      this.#count += 1;
      this.#childCount = 0;
      this.#types.add(type);
      if (this.#entries.length < this.#maxEntries) this.#open = { key: this.#key, type, start };
    }
  }

  /** The entry that is open, if it is one of the first, ends here. */
  end(end: number, isComplete = true): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { key, type, start } = open;
    let size: number | undefined;
    if (type === "array" || type === "object") size = this.#childCount;
    if (type === "string") size = unescapedUnits(this.#text, start + 1, isComplete ? end - 1 : end);
    this.#entries.push({ key, type, start, end, size, isComplete });
  }

  result(isComplete: boolean): JsonScan {
    if (!isComplete) this.end(this.#text.length, false);
    return {
      root: this.#root,
      count: this.#count,
      entries: this.#entries,
      types: [...this.#types],
      isComplete,
    };
  }
}
