import { Buffer } from "node:buffer";

/** The types a JSON value can have. */
export type JsonType = "array" | "object" | "string" | "number" | "boolean" | "null";

export const ARRAY = 0x5b;
export const OBJECT = 0x7b;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const LINE_FEED = 0x0a;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

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
      return firstByte === MINUS || isDigit(firstByte) ? "number" : undefined;
  }
}

/** 1 for the bytes that JSON allows between tokens. */
export const isSpace: Uint8Array = byteSet(" \n\r\t");

/** The first byte that is no white space; `undefined` if there is none. */
export function firstTokenByte(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => isSpace[byte] === 0);
}

function isDigit(byte: number): boolean {
  return byte >= DIGIT_0 && byte <= DIGIT_9;
}

function byteSet(members: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(members)) set[byte] = 1;
  return set;
}
