import type { Content } from "llm-worker/blob";

/** How much of a blob is in hand at a time. */
export const PIECE_BYTES: number = 256 * 1024;

/**
 * The bytes of `content` in pieces of at most 256 KiB: UTF-8 of a text or of raw JSON (lone
 * surrogates become U+FFFD), binary as it is. A piece is valid until the next one is asked for.
 */
export function contentPieces(content: Content): Generator<Uint8Array, void, undefined> {
  switch (content.type) {
    case "text":
      return textPieces(content.text);
    case "structured":
      return textPieces(content.raw);
    case "binary":
      return bytePieces(content.bytes);
    default:
      throw new TypeError("content has to be of type text, structured or binary");
  }
}

/** `bytes` in consecutive views of at most 256 KiB. */
export function* bytePieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

// One buffer for the whole string: a large one must not be in memory a second time as bytes.
function* textPieces(text: string): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  // Zeros would cost a small text more than all else. No more of it is handed out than was written.
  const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, text.length * 3));
  let position = 0;
  while (position < text.length) {
    let end = Math.min(position + PIECE_BYTES, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    const { read, written } = encoder.encodeInto(text.slice(position, end), buffer);
    position += read;
    yield buffer.subarray(0, written);
  }
}

function isHighSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xd800;
}
