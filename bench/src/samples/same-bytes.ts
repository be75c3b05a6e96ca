import { open } from "node:fs/promises";

const PIECE_UNITS = 1024 * 1024;

/** Whether a file holds exactly this text in UTF-8; neither is in memory as a whole for that. */
export async function fileHolds(path: string, text: string): Promise<boolean> {
  const file = await open(path);
  try {
    let position = 0;
    for (let at = 0; at < text.length; at += PIECE_UNITS) {
      const expected = Buffer.from(text.slice(at, at + PIECE_UNITS));
      const found = Buffer.alloc(expected.length);
      const { bytesRead } = await file.read(found, 0, found.length, position);
      if (bytesRead !== expected.length || !found.equals(expected)) return false;
      position += expected.length;
    }
    return (await file.stat()).size === position;
  } finally {
    await file.close();
  }
}
