import { CorruptBlobError } from "./blob-error.js";
import type { BlobReader } from "./blob-store.js";

/** How much a scan reads at once, and so holds. */
export const SCAN_READ_BYTES = 262_144;

/** Reads at most `SCAN_READ_BYTES` of `[start, end)`, `end` being within the blob. */
export async function readPiece(
  reader: BlobReader,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const piece = await reader.read(start, Math.min(end, start + SCAN_READ_BYTES));
  if (piece.length === 0) throw new CorruptBlobError("it ends early", start);
  return piece;
}
