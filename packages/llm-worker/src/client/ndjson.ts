import type { FrameDecoder } from "./frame-decoder.js";
import { LineBlocks, MAX_FRAME_BYTES } from "./line-blocks.js";
import type { Frame } from "./scheme.js";

/**
 * One JSON document a line: bytes to frames. Blank lines are skipped, and the last line needs no
 * line end; whether it is whole is for the reader of its JSON to tell.
 */
export class NdjsonDecoder implements FrameDecoder {
  readonly #blocks: LineBlocks;

  constructor(maxFrameBytes: number = MAX_FRAME_BYTES) {
    this.#blocks = new LineBlocks(maxFrameBytes);
  }

  write(chunk: Uint8Array, onFrame: (frame: Frame) => void): void {
    this.#blocks.write(chunk, (text, start, end) => handOn(text.slice(start, end), onFrame));
  }

  end(onFrame: (frame: Frame) => void): void {
    this.#blocks.end((text, start, end) => handOn(text.slice(start, end), onFrame));
  }
}

function handOn(line: string, onFrame: (frame: Frame) => void): void {
  const data = line.trim();
  if (data !== "") onFrame({ data });
}
