import type { FrameDecoder } from "./frame-decoder.js";
import { assertFrameSize, LineBlocks, MAX_FRAME_BYTES } from "./line-blocks.js";
import type { Frame } from "./scheme.js";

/**
 * Server-sent events: bytes to frames, by the rules of the HTML standard with two additions.
 *
 * - An event that the stream ends in without its blank line is handed on if its data is a whole JSON
 *   document (or `[DONE]`), because servers do end streams that way; a cut one is dropped.
 * - So is a JSON document that stands between events without `data:` before its lines: servers that
 *   fail in the middle of a stream (Gemini) write the error so.
 */
export class SseDecoder implements FrameDecoder {
  readonly #blocks: LineBlocks;
  readonly #maxFrameBytes: number;
  #event: string | undefined;
  #data: string | undefined;
  /** Whether the data has no `data:` before its lines. */
  #isBare = false;

  constructor(maxFrameBytes: number = MAX_FRAME_BYTES) {
    this.#blocks = new LineBlocks(maxFrameBytes);
    this.#maxFrameBytes = maxFrameBytes;
  }

  write(chunk: Uint8Array, onFrame: (frame: Frame) => void): void {
    const text = this.#blocks.write(chunk);
    if (text !== "") this.#readLines(text, onFrame);
    const pendingData = this.#data?.length ?? 0;
    if (pendingData > 0) {
      assertFrameSize(pendingData + this.#blocks.pendingBytes, this.#maxFrameBytes);
    }
  }

  end(onFrame: (frame: Frame) => void): void {
    this.#readLines(`${this.#blocks.end()}\n`, onFrame);
    if (this.#data !== undefined && isWholePayload(this.#data)) this.#dispatch(onFrame);
  }

  #readLines(text: string, onFrame: (frame: Frame) => void): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      if (end === start) this.#dispatch(onFrame);
      else this.#readLine(text, start, end, onFrame);
      start = end + 1;
    }
  }

  #readLine(text: string, start: number, end: number, onFrame: (frame: Frame) => void): void {
    if (text.startsWith("data:", start)) {
      if (this.#isBare) this.#dispatch(onFrame);
      this.#addData(text.slice(afterSpace(text, start + 5), end));
    } else if (text.startsWith("event:", start)) {
      this.#event = text.slice(afterSpace(text, start + 6), end);
    } else if (end - start === 4 && text.startsWith("data", start)) {
      this.#addData("");
    } else if (this.#isBare || (this.#data === undefined && text.charCodeAt(start) === BRACE)) {
      this.#isBare = true;
      this.#addData(text.slice(start, end));
    }
    // Comments, `id`, `retry` and unknown fields carry nothing for us.
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(onFrame: (frame: Frame) => void): void {
    const event = this.#event;
    const data = this.#data;
    const isBare = this.#isBare;
    this.#event = undefined;
    this.#data = undefined;
    this.#isBare = false;
    if (data === undefined || data === "" || (isBare && !isWholePayload(data))) return;
    onFrame({ event, data });
  }
}

const SPACE = 32;
const BRACE = 123;

function afterSpace(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}

/** A number or a bare word could be the beginning of a longer one, so only these count. */
function isWholePayload(data: string): boolean {
  const text = data.trim();
  if (text === "[DONE]") return true;
  if (!text.startsWith("{") && !text.startsWith("[")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
