import { encodeBlobIndex, openBlobIndex } from "llm-worker/blob";
import type { BlobDescription } from "llm-worker/blob";
import type { Frame } from "./frame.js";
import { crc32 } from "./zlib.js";

/** What a compressed blob is in the store that keeps it. */
export const FRAMES_MEDIA_TYPE = "application/vnd.llm-worker.frames";

/**
 * The end of a compressed blob: for each frame its length, with a bit that says whether it is
 * deflated, and its checksum; the description of the payload; then payload bytes a frame, number
 * of frames, bytes of the description, CRC-32 of all that, and the magic with the version.
 * Numbers are little-endian and have 32 bits.
 */
const MAGIC = Buffer.from("LWF\u0001");
const FOOTER_BYTES = 16 + MAGIC.length;
const ROW_BYTES = 8;
const DEFLATED_BIT = 0x8000_0000;

/** Collects the rows of the frames while they are written. */
export class FrameTableBuilder {
  readonly #frameBytes: number;
  #rows: Buffer = Buffer.alloc(64 * ROW_BYTES);
  #frameCount = 0;

  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes;
  }

  add({ bytes, isDeflated, checksum }: Frame): void {
    const at = this.#frameCount * ROW_BYTES;
    if (at === this.#rows.length) this.#rows = Buffer.concat([this.#rows, Buffer.alloc(at)]);
    this.#rows.writeUInt32LE(bytes.length + (isDeflated ? DEFLATED_BIT : 0), at);
    this.#rows.writeUInt32LE(checksum, at + 4);
    this.#frameCount++;
  }

  /** What follows the last frame. */
  finish(description: BlobDescription): Uint8Array {
    const encoded = encodeBlobIndex(description);
    const footer = Buffer.alloc(FOOTER_BYTES);
    footer.writeUInt32LE(this.#frameBytes, 0);
    footer.writeUInt32LE(this.#frameCount, 4);
    footer.writeUInt32LE(encoded.length, 8);
    const rows = this.#rows.subarray(0, this.#frameCount * ROW_BYTES);
    const checked = Buffer.concat([rows, encoded, footer.subarray(0, 12)]);
    footer.writeUInt32LE(crc32(checked), 12);
    MAGIC.copy(footer, 16);
    return Buffer.concat([checked, footer.subarray(12)]);
  }
}

/** Bytes of the whole table, by the end of the blob. `undefined` if no table ends there. */
export function tableByteCount(end: Uint8Array): number | undefined {
  if (end.length < FOOTER_BYTES) return undefined;
  const footer = bufferOf(end).subarray(-FOOTER_BYTES);
  if (!footer.subarray(16).equals(MAGIC)) return undefined;
  return footer.readUInt32LE(4) * ROW_BYTES + footer.readUInt32LE(8) + FOOTER_BYTES;
}

/** Where the frames of one blob are. */
export interface FrameTable extends BlobDescription {
  /** Payload bytes in each frame; the last one may have fewer. */
  readonly frameBytes: number;
  /** Where each frame begins in the stored blob, and where the last one ends. */
  readonly offsets: Float64Array;
  /** The frame with this number, whose bytes are given. */
  readonly frame: (number: number, bytes: Uint8Array) => Frame;
}

/**
 * Reads a table.
 *
 * @param table the last bytes of the blob, as many as `tableByteCount` says
 * @returns `undefined` if it is broken or does not fit a blob of so many bytes
 */
export function parseFrameTable(
  table: Uint8Array,
  storedByteCount: number,
): FrameTable | undefined {
  const bytes = bufferOf(table);
  const footer = bytes.subarray(-FOOTER_BYTES);
  if (footer.readUInt32LE(12) !== crc32(bytes.subarray(0, -8))) return undefined;
  const frameBytes = footer.readUInt32LE(0);
  const frameCount = footer.readUInt32LE(4);
  const rows = bytes.subarray(0, frameCount * ROW_BYTES);
  const description = openBlobIndex(bytes.subarray(rows.length, -FOOTER_BYTES));
  if (!description) return undefined;

  const offsets = new Float64Array(frameCount + 1);
  for (let number = 0; number < frameCount; number++) {
    const length = rows.readUInt32LE(number * ROW_BYTES) % DEFLATED_BIT;
    offsets[number + 1] = (offsets[number] ?? 0) + length;
  }
  const framesFit = Math.ceil(description.stat.byteCount / frameBytes) === frameCount;
  const lengthsFit = offsets[frameCount] === storedByteCount - bytes.length;
  if (!framesFit || !lengthsFit) return undefined;
  return {
    ...description,
    frameBytes,
    offsets,
    frame: (number, frame) => ({
      bytes: frame,
      isDeflated: rows.readUInt32LE(number * ROW_BYTES) >= DEFLATED_BIT,
      checksum: rows.readUInt32LE(number * ROW_BYTES + 4),
    }),
  };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
