/** Instead of a place: what is there cannot be JSON. */
export const INVALID = -1;
/** Instead of a place: the text ends within the token. */
export const UNFINISHED = -2;

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
export const ARRAY = 0x5b;
export const OBJECT = 0x7b;
const LETTER_T = 0x74;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;

/** The first place from `position` on that is not JSON white space. */
export function skipJsonSpace(text: string, position: number): number {
  let index = position;
  while (index < text.length && isJsonSpace(text.charCodeAt(index))) index += 1;
  return index;
}

/** Whether JSON allows this character between tokens. */
export function isJsonSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** What JSON calls its values. */
export type JsonType = "object" | "array" | "string" | "number" | "boolean" | "null";

/** The type of the value that begins with this character, or `undefined` if none does. */
export function jsonTypeOf(unit: number): JsonType | undefined {
  switch (unit) {
    case QUOTE:
      return "string";
    case ARRAY:
      return "array";
    case OBJECT:
      return "object";
    case LETTER_T:
    case LETTER_F:
      return "boolean";
    case LETTER_N:
      return "null";
    default:
      return unit === MINUS || isDigit(unit) ? "number" : undefined;
  }
}

/** The place behind the string, number or literal that begins at `start`. */
export function scalarEnd(text: string, start: number): number {
  switch (text.charCodeAt(start)) {
    case QUOTE:
      return stringEnd(text, start);
    case LETTER_T:
      return literalEnd(text, start, "true");
    case LETTER_F:
      return literalEnd(text, start, "false");
    case LETTER_N:
      return literalEnd(text, start, "null");
    default:
      return numberEnd(text, start);
  }
}

function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    index += 1;
    if (unit === QUOTE) return index;
    if (unit < 0x20) return INVALID;
    if (unit === BACKSLASH) {
      index = escapeEnd(text, index);
      if (index < 0) return index;
    }
  }
  return UNFINISHED;
}

const SIMPLE_ESCAPES = '"\\/bfnrt';

function escapeEnd(text: string, index: number): number {
  if (index >= text.length) return UNFINISHED;
  const letter = text.charAt(index);
  if (SIMPLE_ESCAPES.includes(letter)) return index + 1;
  if (letter !== "u") return INVALID;
  for (let digit = index + 1; digit <= index + 4; digit += 1) {
    if (digit >= text.length) return UNFINISHED;
    if (!isHexDigit(text.charCodeAt(digit))) return INVALID;
  }
  return index + 5;
}

/** UTF-16 units that the text between two quotes stands for. */
export function unescapedUnits(text: string, start: number, end: number): number {
  const literal = text.slice(start, end);
  let units = literal.length;
  for (let at = literal.indexOf("\\"); at !== -1;) {
    const escapeUnits = Math.min(literal.charAt(at + 1) === "u" ? 6 : 2, literal.length - at);
    units -= escapeUnits - 1;
    at = literal.indexOf("\\", at + escapeUnits);
  }
  return units;
}

function literalEnd(text: string, start: number, word: string): number {
  if (text.startsWith(word, start)) return start + word.length;
  const rest = text.slice(start, start + word.length);
  return start + rest.length === text.length && word.startsWith(rest) ? UNFINISHED : INVALID;
}

function numberEnd(text: string, start: number): number {
  let index = text.charCodeAt(start) === MINUS ? start + 1 : start;
  if (text.charCodeAt(index) === ZERO) index += 1;
  else {
    const end = digitsEnd(text, index);
    if (end < 0) return end;
    index = end;
  }
  if (text.charCodeAt(index) === POINT) {
    index = digitsEnd(text, index + 1);
    if (index < 0) return index;
  }
  const exponent = text.charCodeAt(index);
  if (exponent === 0x65 || exponent === 0x45) {
    const sign = text.charCodeAt(index + 1);
    index = digitsEnd(text, index + (sign === PLUS || sign === MINUS ? 2 : 1));
    if (index < 0) return index;
  }
  // Without anything behind it the number may go on: the root is still open.
  return index === text.length ? UNFINISHED : index;
}

function digitsEnd(text: string, start: number): number {
  let index = start;
  while (index < text.length && isDigit(text.charCodeAt(index))) index += 1;
  if (index > start) return index;
  return index >= text.length ? UNFINISHED : INVALID;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isHexDigit(unit: number): boolean {
  const lower = unit | 0x20;
  return isDigit(unit) || (lower >= 0x61 && lower <= 0x66);
}
