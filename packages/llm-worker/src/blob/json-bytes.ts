import { Buffer } from "node:buffer";
import { asBuffer } from "./bytes.js";

/** The types a JSON value can have. */
export type JsonType = "array" | "object" | "string" | "number" | "boolean" | "null";

export const ARRAY = 0x5b;
export const OBJECT = 0x7b;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COLON = 0x3a;
export const COMMA = 0x2c;
export const LINE_FEED = 0x0a;
const LETTER_U = 0x75;

/** The type of a value that begins with this byte; `undefined` if none does. */
export function jsonTypeOf(firstByte: number): JsonType | undefined {
  switch (firstByte) {
    case ARRAY:
      return "array";
    case OBJECT:
      return "object";
    case QUOTE:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return numberStep[firstByte] === 0 ? undefined : "number";
  }
}

/** The literal that begins with this byte. */
function literalOf(firstByte: number): string | undefined {
  switch (firstByte) {
    case 0x74:
      return "true";
    case 0x66:
      return "false";
    case 0x6e:
      return "null";
    default:
      return undefined;
  }
}

/** 1 for the bytes that JSON allows between tokens. */
export const isSpace: Uint8Array = byteSet(" \n\r\t");

/** 1 for the bytes that may follow a backslash in a string. */
export const isEscapable: Uint8Array = byteSet('"\\/bfnrtu');

export const isDigit: Uint8Array = byteSet("0123456789");
export const isHexDigit: Uint8Array = byteSet("0123456789abcdefABCDEF");

/** 1 for the bytes that stand for themselves in a string: not quote, backslash or a control. */
export const isPlain: Uint8Array = new Uint8Array(256).fill(1, 0x20);
isPlain[QUOTE] = isPlain[BACKSLASH] = 0;

/** States of the number grammar, named by what was read last. The first is before a number. */
const numberStates = ["", "-", "0", "1", ".", ".1", "e", "e+", "e1"];
const numberRules: readonly (readonly [from: string, bytes: string, to: string])[] = [
  ["", "-", "-"],
  ["", "0", "0"],
  ["", "123456789", "1"],
  ["-", "0", "0"],
  ["-", "123456789", "1"],
  ["1", "0123456789", "1"],
  ["0", ".", "."],
  ["1", ".", "."],
  [".", "0123456789", ".1"],
  [".1", "0123456789", ".1"],
  ["0", "eE", "e"],
  ["1", "eE", "e"],
  [".1", "eE", "e"],
  ["e", "+-", "e+"],
  ["e", "0123456789", "e1"],
  ["e+", "0123456789", "e1"],
  ["e1", "0123456789", "e1"],
];

/**
 * The number grammar: `numberStep[state * 256 + byte]` is the next state, 0 where the byte is not
 * part of the number. State 0 is before the first byte.
 */
export const numberStep: Uint8Array = new Uint8Array(numberStates.length * 256);
for (const [from, bytes, to] of numberRules) {
  for (const byte of Buffer.from(bytes)) {
    numberStep[numberStates.indexOf(from) * 256 + byte] = numberStates.indexOf(to);
  }
}

/** 1 for the states of {@link numberStep} in which a number may end. */
export const isCompleteNumber: Uint8Array = Uint8Array.from(numberStates, (state) =>
  /^0$|1$/.test(state) ? 1 : 0,
);

// The loops below end by themselves: behind what is scanned is a NUL. `| 0` tells V8 that a place is a
// small integer; for one that comes as a parameter it would check and convert it with each step.

/**
 * Index of the first byte at or after `from` that does not go on the string there: its quote, a
 * byte that no string has, or a backslash whose escape is not complete.
 */
export function skipString(bytes: Uint8Array, from: number): number {
  let at = from | 0;
  for (;;) {
    while (isPlain[bytes[at] as number] === 1) at++;
    if (bytes[at] !== BACKSLASH) return at;
    const escaped = bytes[at + 1] as number;
    if (isEscapable[escaped] === 0) return at;
    if (escaped === LETTER_U) {
      for (let digit = at + 2; digit < at + 6; digit++) {
        if (isHexDigit[bytes[digit] as number] !== 1) return at;
      }
      at += 4;
    }
    at += 2;
  }
}

/** Index behind the literal that begins at `from`; `from` if none does. */
export function skipLiteral(bytes: Uint8Array, from: number): number {
  const literal = literalOf(bytes[from] as number) ?? "";
  for (let at = 0; at < literal.length; at++) {
    if (bytes[from + at] !== literal.charCodeAt(at)) return from;
  }
  return from + literal.length;
}

const CUT_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;

/** Whether `end` cuts an escape or a literal that begins at `from`. */
export function isCutToken(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > 5) return false;
  const text = asBuffer(bytes).toString("latin1", from, end);
  return literalOf(bytes[from] as number)?.startsWith(text) ?? CUT_ESCAPE.test(text);
}

/** Index of the first byte at or after `from` that is not white space. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from | 0;
  while (isSpace[bytes[at] as number] === 1) at++;
  return at;
}

/** Index of the first byte at or after `from` that is not a digit. */
export function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from | 0;
  while (isDigit[bytes[at] as number] === 1) at++;
  return at;
}

function byteSet(members: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(members)) set[byte] = 1;
  return set;
}
