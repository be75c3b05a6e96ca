import type * as zlib from "node:zlib";

let nodeCrc32: typeof zlib.crc32 | undefined;

/** CRC-32 of bytes, or of all bytes when `before` is that of the bytes before them. */
export function crc32(bytes: Uint8Array, before = 0): number {
  // Loaded at the first use and not at import: node:zlib brings all of Node's streams with it.
  nodeCrc32 ??= process.getBuiltinModule("node:zlib").crc32;
  return nodeCrc32(bytes, before);
}
