import type { BlobId, BlobIndex, BlobStat, BlobWriter } from "llm-worker/blob";
import type { BlobSink } from "../blob-sink.js";
import { packFrame } from "./frame.js";
import { FrameTableBuilder } from "./frame-table.js";

/** How a payload is cut and compressed. */
export interface FrameFormat {
  /** Payload bytes in a frame. */
  readonly frameBytes: number;
  /** Effort of deflate, 1 to 9. */
  readonly level: number;
}

/** Writes a payload as frames and, after them, their table. */
export class FrameSink implements BlobSink {
  readonly #writer: BlobWriter;
  readonly #format: FrameFormat;
  readonly #table: FrameTableBuilder;
  #buffer: Uint8Array;
  #filled = 0;

  constructor(writer: BlobWriter, format: FrameFormat) {
    this.#writer = writer;
    this.#format = format;
    this.#table = new FrameTableBuilder(format.frameBytes);
    this.#buffer = new Uint8Array(format.frameBytes);
  }

  async write(piece: Uint8Array): Promise<void> {
    const { frameBytes } = this.#format;
    const full: Uint8Array[] = [];
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + frameBytes - this.#filled);
      at += part.length;
      if (part.length === frameBytes) {
        full.push(part);
        continue;
      }
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      if (this.#filled < frameBytes) continue;
      full.push(this.#buffer);
      this.#buffer = new Uint8Array(frameBytes);
      this.#filled = 0;
    }
    await this.#append(full);
  }

  async publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId> {
    if (this.#filled > 0) await this.#append([this.#buffer.subarray(0, this.#filled)]);
    await this.#writer.write(this.#table.finish({ stat, index }));
    return (await this.#writer.commit()).id;
  }

  discard(): Promise<void> {
    return this.#writer.abort();
  }

  // Those of one piece at the same time: a piece is small, and zlib has threads.
  async #append(payloads: readonly Uint8Array[]): Promise<void> {
    const { level } = this.#format;
    const frames = await Promise.all(payloads.map((payload) => packFrame(payload, level)));
    for (const frame of frames) {
      this.#table.add(frame);
      await this.#writer.write(frame.bytes);
    }
  }
}
