import { isUint8Array } from "node:util/types";
import type { Content } from "llm-worker/blob";

/** How much of a blob is in hand at a time. */
export const PIECE_BYTES: number = 256 * 1024;

/** A part of a content. */
export interface ContentPiece {
  /** Valid until the next piece is asked for. */
  readonly bytes: Uint8Array;
  /** What they are the UTF-8 of. */
  readonly text?: string | undefined;
}

/**
 * The bytes of `content` in pieces of at most 256 KiB: UTF-8 of a text or of raw JSON (lone
 * surrogates become U+FFFD), binary as it is.
 */
export function* contentPieces(content: Content): Generator<ContentPiece, void, undefined> {
  assertContent(content);
  switch (content.type) {
    case "text":
      return yield* textPieces(content.text);
    case "structured":
      return yield* textPieces(content.raw);
    case "binary":
      for (const bytes of bytePieces(content.bytes)) yield { bytes };
  }
}

const NO_CONTENT =
  "content has to be of type text, structured or binary, with text or raw that is a string or bytes that are a Uint8Array";

/** @throws TypeError for what is no content, as a program without types may pass it */
export function assertContent(content: unknown): asserts content is Content {
  if (typeof content !== "object" || content === null || !("type" in content)) {
    throw new TypeError(NO_CONTENT);
  }
  switch (content.type) {
    case "text":
      if ("text" in content && typeof content.text === "string") return;
      break;
    case "structured":
      if ("raw" in content && typeof content.raw === "string") return;
      break;
    case "binary":
      return assertBytes("bytes" in content ? content.bytes : undefined);
  }
  throw new TypeError(NO_CONTENT);
}

/**
 * Of anything else, such as an `ArrayBuffer`, nothing or something else would be written.
 *
 * @throws TypeError for what are no bytes, also if they were transferred elsewhere
 */
export function assertBytes(bytes: unknown): asserts bytes is Uint8Array {
  // Of whatever realm: in a Jest test those of Node itself are of another.
  if (!isUint8Array(bytes)) {
    throw new TypeError(
      "bytes have to be a Uint8Array: make one of an ArrayBuffer or another view",
    );
  }
  // A view of a buffer that is gone is empty, and there can be no other of it.
  if (bytes.length === 0) void new Uint8Array(bytes.buffer);
}

/** `bytes` in consecutive views of at most 256 KiB. @throws TypeError for what are no bytes */
export function* bytePieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  assertBytes(bytes);
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/**
 * Whether the first piece of a text is all of it: only one that fills its buffer is followed by others.
 */
export function isOnlyPiece(text: string, firstPiece: Uint8Array): boolean {
  return text.length <= PIECE_BYTES && firstPiece.length <= PIECE_BYTES - MAX_CHARACTER_BYTES;
}

const MAX_CHARACTER_BYTES = 4;
/** A text of more gets a buffer that is kept for the next one: to get one costs more than to encode 100 KB. */
const MAX_SMALL_TEXT_UNITS = 16 * 1024;
let spareBuffer: Buffer | undefined;

// One buffer for the whole string: a large one must not be in memory a second time as bytes.
function* textPieces(text: string): Generator<ContentPiece, void, undefined> {
  if (text.length <= MAX_SMALL_TEXT_UNITS) {
    if (text !== "") yield { bytes: Buffer.from(text), text };
    return;
  }
  const encoder = new TextEncoder();
  const buffer = takePieceBuffer();
  try {
    let position = 0;
    while (position < text.length) {
      let end = Math.min(position + PIECE_BYTES, text.length);
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
      const part = text.slice(position, end);
      const { read, written } = encoder.encodeInto(part, buffer);
      position += read;
      yield { bytes: buffer.subarray(0, written), text: part.slice(0, read) };
    }
  } finally {
    spareBuffer = buffer;
  }
}

function takePieceBuffer(): Buffer {
  const buffer = spareBuffer ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  spareBuffer = undefined;
  return buffer;
}

function isHighSurrogate(codeUnit: number): boolean {
  return (codeUnit & 0xfc00) === 0xd800;
}
