import { Buffer } from "node:buffer";

/** A part of a blob: the bytes `[start, end)`. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** The same bytes as a `Buffer`, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Whether a byte of UTF-8 goes on with a character that began before it. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
