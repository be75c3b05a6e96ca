import { crc32 } from "node:zlib";
import { S3IntegrityFailure } from "./s3-failure.js";

/** Each block of so many bytes has a checksum, so that a part can be verified without the rest. */
export const BLOCK_BYTES: number = 64 * 1024;

/** Computes the CRC-32 of each block of a payload, in pieces cut anywhere. */
export class BlockChecksumBuilder {
  readonly #finished: number[] = [];
  #current = 0;
  #currentBytes = 0;

  write(piece: Uint8Array): void {
    for (let start = 0; start < piece.length;) {
      const end = Math.min(piece.length, start + BLOCK_BYTES - this.#currentBytes);
      this.#current = crc32(piece.subarray(start, end), this.#current);
      this.#currentBytes += end - start;
      start = end;
      if (this.#currentBytes === BLOCK_BYTES) this.#endBlock();
    }
  }

  /** One number for each block; the last block may be shorter. */
  finish(): Uint32Array {
    if (this.#currentBytes > 0) this.#endBlock();
    return Uint32Array.from(this.#finished);
  }

  #endBlock(): void {
    this.#finished.push(this.#current);
    this.#current = 0;
    this.#currentBytes = 0;
  }
}

/** The least range of whole blocks that `[start, end)` lies in, as part of `byteCount` bytes. */
export function wholeBlocks(
  start: number,
  end: number,
  byteCount: number,
): { readonly start: number; readonly end: number } {
  return {
    start: Math.floor(start / BLOCK_BYTES) * BLOCK_BYTES,
    end: Math.min(Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES, byteCount),
  };
}

/**
 * Verifies whole blocks that begin at `start`, a multiple of the size of a block.
 * @throws S3IntegrityFailure
 */
export function verifyBlocks(checksums: Uint32Array, start: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = bytes.subarray(at, at + BLOCK_BYTES);
    if (crc32(block) !== checksums[(start + at) / BLOCK_BYTES]) {
      throw new S3IntegrityFailure(
        `the checksum of bytes ${start + at}-${start + at + block.length - 1} is another`,
      );
    }
  }
}
