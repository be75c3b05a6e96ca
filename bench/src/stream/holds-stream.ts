import { open } from "node:fs/promises";
import type { PieceStream } from "./pieces.js";

/** Whether a file holds exactly the bytes of a stream. */
export async function holdsStream(path: string, pieces: PieceStream): Promise<boolean> {
  const file = await open(path);
  try {
    let position = 0;
    const found = Buffer.alloc(64 * 1024);
    for (const piece of pieces.bytes()) {
      const { bytesRead } = await file.read(found, 0, piece.length, position);
      if (!found.subarray(0, bytesRead).equals(piece)) return false;
      position += bytesRead;
    }
    return (await file.stat()).size === position;
  } finally {
    await file.close();
  }
}
