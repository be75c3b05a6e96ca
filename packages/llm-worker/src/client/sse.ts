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
  /** The last name of an event: most events have the name of the one before. */
  #knownName = "";
  #data: string | undefined;
  /** Whether the data has no `data:` before its lines. */
  #isBare = false;

  constructor(maxFrameBytes: number = MAX_FRAME_BYTES) {
    this.#blocks = new LineBlocks(maxFrameBytes);
    this.#maxFrameBytes = maxFrameBytes;
  }

  write(chunk: Uint8Array, onFrame: (frame: Frame) => void): void {
    this.#blocks.write(chunk, (text, start, end) => this.#readLine(text, start, end, onFrame));
    const pendingData = this.#data?.length ?? 0;
    if (pendingData > 0) {
      assertFrameSize(pendingData + this.#blocks.pendingBytes, this.#maxFrameBytes);
    }
  }

  end(onFrame: (frame: Frame) => void): void {
    this.#blocks.end((text, start, end) => this.#readLine(text, start, end, onFrame));
    if (this.#data !== undefined && isWholePayload(this.#data)) this.#dispatch(onFrame);
  }

  #readLine(text: string, start: number, end: number, onFrame: (frame: Frame) => void): void {
    if (start === end) {
      this.#dispatch(onFrame);
      return;
    }
    // The first character first: it says nearly always which of the comparisons is worth making.
    const first = text.charCodeAt(start);
    if (first === LOWER_D && text.startsWith("data:", start)) {
      if (this.#isBare) this.#dispatch(onFrame);
      this.#addData(text.slice(afterSpace(text, start + 5), end));
    } else if (first === LOWER_E && text.startsWith("event:", start)) {
      this.#event = this.#name(text, afterSpace(text, start + 6), end);
    } else if (end - start === 4 && text.startsWith("data", start)) {
      this.#addData("");
    } else if (this.#isBare || (this.#data === undefined && first === BRACE)) {
      this.#isBare = true;
      this.#addData(text.slice(start, end));
    }
    // Comments, `id`, `retry` and unknown fields carry nothing for us.
  }

  #name(text: string, start: number, end: number): string {
    const name = text.slice(start, end);
    // A slice keeps its whole piece alive, so that of one before is handed on again.
    if (name !== this.#knownName) this.#knownName = name;
    return this.#knownName;
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
const LOWER_D = 100;
const LOWER_E = 101;

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
