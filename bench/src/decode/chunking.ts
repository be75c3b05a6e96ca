import { randomIntegers } from "./message.js";

/** How a body is cut into the chunks of HTTP. */
export type Chunking = "event" | "block" | "fragment";

export const chunkings: Readonly<Record<Chunking, string>> = {
  event: "one event a chunk",
  block: "16 KiB chunks",
  fragment: "chunks of 1 to 40 bytes",
};

const BLOCK_BYTES = 16 * 1024;
const MAX_FRAGMENT_BYTES = 40;
const LAST_CHUNK = "0\r\n\r\n";

/** The body in HTTP's chunked coding, its end included. */
export function encodeChunked(frames: readonly string[], chunking: Chunking): Buffer {
  const encoded: (string | Uint8Array)[] = [];
  const push = (chunk: Uint8Array): void =>
    void encoded.push(`${chunk.length.toString(16)}\r\n`, chunk, "\r\n");
  if (chunking === "event") for (const frame of frames) push(Buffer.from(frame));
  else for (const chunk of cut(Buffer.from(frames.join("")), chunking)) push(chunk);
  encoded.push(LAST_CHUNK);
  return Buffer.concat(
    encoded.map((part) => (typeof part === "string" ? Buffer.from(part) : part)),
  );
}

function* cut(body: Uint8Array, chunking: "block" | "fragment"): Generator<Uint8Array> {
  const random = randomIntegers(2);
  for (let start = 0; start < body.length;) {
    const size = chunking === "block" ? BLOCK_BYTES : 1 + random(MAX_FRAGMENT_BYTES);
    yield body.subarray(start, start + size);
    start += size;
  }
}
