import type { CheckedBytes } from "./checked-bytes.js";
import type { IndexCursor } from "./index-cursor.js";
import { entriesOf, type Lookup } from "./lookup.js";
import { uintSize, type VarintWriter } from "./varint.js";

/** Byte strings of one length in an encoded index. */
class PackedRows implements Lookup<Uint8Array> {
  readonly length: number;
  readonly #bytes: CheckedBytes;
  readonly #at: number;
  readonly #rowBytes: number;

  constructor(from: IndexCursor) {
    this.length = from.uint();
    this.#rowBytes = from.uint();
    this.#bytes = from.bytes;
    this.#at = from.skip(this.length * this.#rowBytes);
  }

  at(position: number): Uint8Array | undefined {
    if (position < 0 || position >= this.length) return undefined;
    const start = this.#at + position * this.#rowBytes;
    return this.#bytes.slice(start, start + this.#rowBytes);
  }
}

/** Writes rows of bytes, all of one length. */
export function writeRows(to: VarintWriter, rows: Lookup<Uint8Array>): void {
  to.uint(rows.length);
  to.uint(rows.at(0)?.length ?? 0);
  for (const row of entriesOf(rows)) to.raw(row);
}

/** Bytes that {@link writeRows} takes. */
export function packedRowsSize(rows: Lookup<Uint8Array>): number {
  const rowBytes = rows.at(0)?.length ?? 0;
  return uintSize(rows.length) + uintSize(rowBytes) + rows.length * rowBytes;
}

/** Finds what {@link writeRows} wrote. */
export function readRows(from: IndexCursor): Lookup<Uint8Array> {
  return new PackedRows(from);
}
