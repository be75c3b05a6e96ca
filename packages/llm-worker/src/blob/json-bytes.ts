import { Buffer } from "node:buffer";

/** The types a JSON value can have. */
export type JsonType = "array" | "object" | "string" | "number" | "boolean" | "null";

export const ARRAY = 0x5b;
export const OBJECT = 0x7b;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COLON = 0x3a;
export const COMMA = 0x2c;

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
export function literalOf(firstByte: number): string | undefined {
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

/** Index of the first byte at or after `from` that does not stand for itself in a string. */
export function skipPlain(bytes: Uint8Array, from: number): number {
  const length = bytes.length;
  const near = Math.min(from + 16, length);
  let at = from;
  while (at < near) {
    if (isPlain[bytes[at] as number] === 0) return at;
    at++;
  }
  // Long strings: eight bytes per branch are twice as fast. Short ones are faster without.
  while (
    at + 8 <= length &&
    ((isPlain[bytes[at] as number] as number) &
      (isPlain[bytes[at + 1] as number] as number) &
      (isPlain[bytes[at + 2] as number] as number) &
      (isPlain[bytes[at + 3] as number] as number) &
      (isPlain[bytes[at + 4] as number] as number) &
      (isPlain[bytes[at + 5] as number] as number) &
      (isPlain[bytes[at + 6] as number] as number) &
      (isPlain[bytes[at + 7] as number] as number)) ===
      1
  ) {
    at += 8;
  }
  while (at < length && isPlain[bytes[at] as number] === 1) at++;
  return at;
}

/** Index of the first byte at or after `from` that is not white space. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace[bytes[at] as number] === 1) at++;
  return at;
}

/** Index of the first byte at or after `from` that is not a digit. */
export function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isDigit[bytes[at] as number] === 1) at++;
  return at;
}

function byteSet(members: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(members)) set[byte] = 1;
  return set;
}
