import { LlmError } from "./llm-error.js";

/** Most bytes one frame of a stream may have. A server that sends more without an end is broken. */
export const MAX_FRAME_BYTES: number = 64 * 1024 * 1024;

const LF = 10;
const CR = 13;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Cuts a byte stream at its line ends and decodes whole lines, so that no cut of the network can
 * split a character. Each byte is looked at a fixed number of times, however it arrives.
 */
export class LineBlocks {
  readonly #maxBytes: number;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #isAtStart = true;

  constructor(maxBytes: number = MAX_FRAME_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the line that has begun but not ended. */
  get pendingBytes(): number {
    return this.#tailBytes;
  }

  /**
   * Takes the next piece, which must not be changed afterwards. Gives the text of all lines that it
   * completes, each ending in `\n` whatever it ended in (CR LF, LF or CR), or `""`.
   *
   * @throws LlmError `protocol` if a line grows over the limit
   */
  write(chunk: Uint8Array): string {
    const end = endOfLastLine(chunk);
    const completes = end > 0 || (chunk.length > 0 && this.#tailEndsInCr());
    const text = completes ? this.#takeLines(chunk.subarray(0, end)) : "";
    if (end < chunk.length) this.#keep(chunk.subarray(end));
    return text;
  }

  /** The stream has ended: the text that has no line end yet. */
  end(): string {
    return this.#takeLines(new Uint8Array());
  }

  /** A CR at the end of a piece waits: an LF in the next one belongs to it. */
  #tailEndsInCr(): boolean {
    const last = this.#tail.at(-1);
    return last !== undefined && last[last.length - 1] === CR;
  }

  #keep(chunk: Uint8Array): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    assertFrameSize(this.#tailBytes, this.#maxBytes);
  }

  #takeLines(last: Uint8Array): string {
    const bytes = this.#tail.length === 0 ? last : Buffer.concat([...this.#tail, last]);
    this.#tail = [];
    this.#tailBytes = 0;
    let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    if (this.#isAtStart && text !== "") {
      this.#isAtStart = false;
      if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    }
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }
}

/** @throws LlmError `protocol` if a frame is over the limit */
export function assertFrameSize(byteCount: number, maxBytes: number): void {
  if (byteCount <= maxBytes) return;
  throw new LlmError(
    "protocol",
    `the server sent a frame of more than ${maxBytes} bytes; check that baseUrl names a model server`,
  );
}

/** Where the last line of `chunk` that is surely whole ends, 0 if none does. */
function endOfLastLine(chunk: Uint8Array): number {
  const afterLf = chunk.lastIndexOf(LF) + 1;
  // A CR in the last place may be half of a CR LF, so it is not looked at.
  const rest = chunk.subarray(afterLf, -1);
  return afterLf + rest.lastIndexOf(CR) + 1;
}
