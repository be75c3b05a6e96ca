/** What is repeated to make a long text: large enough that no cache holds it. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const LEVELS = ["DEBUG", "INFO ", "INFO ", "INFO ", "WARN ", "ERROR"];
const PARTS = ["router", "scheduler", "db-pool", "auth", "cache", "http"];

/** A log in ASCII, of exactly so many bytes; lines have 95 bytes on average. */
export function logBytes(byteCount: number): Buffer {
  return repeat(logBlock(Math.min(byteCount, BLOCK_BYTES)), byteCount);
}

/** The same as a string. */
export function logText(byteCount: number): string {
  return logBytes(byteCount).toString("utf8");
}

/** A text of which a third are characters of three bytes; about so many bytes. */
export function wideText(byteCount: number): string {
  const line = `${"一行の記録です。".repeat(2)} request 4711 served in 12 ms by worker seven of nine\n`;
  // Not a tree of repetitions but one flat string, as what a tool has read is.
  return Buffer.from(line.repeat(Math.ceil(byteCount / Buffer.byteLength(line)))).toString("utf8");
}

function logBlock(byteCount: number): Buffer {
  const block = Buffer.alloc(byteCount + 256);
  let length = 0;
  for (let line = 0; length < byteCount; line += 1) length += block.write(logLine(line), length);
  return block.subarray(0, byteCount);
}

function logLine(line: number): string {
  const seconds = String(line % 60).padStart(2, "0");
  const level = LEVELS[line % LEVELS.length];
  const part = PARTS[(line * 7) % PARTS.length];
  const path = "/items".repeat(1 + (line % 4));
  return `2031-07-04T11:22:${seconds}Z ${level} [${part}] request ${line} GET ${path}/${line % 977} took ${line % 89} ms, status 200\n`;
}

function repeat(block: Buffer, byteCount: number): Buffer {
  const bytes = Buffer.alloc(byteCount);
  for (let at = 0; at < byteCount; at += block.length) block.copy(bytes, at);
  return bytes;
}
