import { promisify } from "node:util";
import type * as zlib from "node:zlib";

let loaded: typeof zlib | undefined;

/** CRC-32 of bytes. */
export function crc32(bytes: Uint8Array): number {
  return nodeZlib().crc32(bytes);
}

/** Compresses without a header. */
export function deflate(bytes: Uint8Array, options: zlib.ZlibOptions): Promise<Buffer> {
  return promisify<Uint8Array, zlib.ZlibOptions, Buffer>(nodeZlib().deflateRaw)(bytes, options);
}

/** Undoes {@link deflate}. @throws Error for other bytes, or more of them than `maxOutputLength` */
export function inflate(bytes: Uint8Array, options: zlib.ZlibOptions): Promise<Buffer> {
  return promisify<Uint8Array, zlib.ZlibOptions, Buffer>(nodeZlib().inflateRaw)(bytes, options);
}

// At the first use and not at import: node:zlib brings all of Node's streams with it.
function nodeZlib(): typeof zlib {
  return (loaded ??= process.getBuiltinModule("node:zlib"));
}
