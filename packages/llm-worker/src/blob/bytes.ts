import { Buffer } from "node:buffer";

/** A part of a blob: the bytes `[start, end)`. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** The same bytes as a `Buffer`, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
