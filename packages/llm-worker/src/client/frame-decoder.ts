import type { Frame } from "./scheme.js";

/** Bytes to frames, however the network cut them. */
export interface FrameDecoder {
  /**
   * Takes the next piece and hands on each frame that it completes.
   *
   * @throws LlmError `protocol` if a frame grows over the limit
   */
  write(chunk: Uint8Array, onFrame: (frame: Frame) => void): void;
  /** The stream has ended: hands on the last frame if it is whole but for its line end. */
  end(onFrame: (frame: Frame) => void): void;
}
