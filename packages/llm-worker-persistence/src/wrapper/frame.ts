import { crc32, deflate, inflate } from "./zlib.js";

/** A consecutive part of a payload, as it is stored. */
export interface Frame {
  /** Compressed on its own, or, where that does not help, as it is. */
  readonly bytes: Uint8Array;
  readonly isDeflated: boolean;
  /** CRC-32 of `bytes`. */
  readonly checksum: number;
}

/** Compresses a part of a payload, unless it only becomes larger. */
export async function packFrame(payload: Uint8Array, level: number): Promise<Frame> {
  const deflated = await deflate(payload, { level });
  const isDeflated = deflated.length < payload.length;
  const bytes = isDeflated ? deflated : payload;
  return { bytes, isDeflated, checksum: crc32(bytes) };
}

/**
 * The part of the payload that a frame holds.
 * `undefined` if the frame is not what was stored.
 */
export async function unpackFrame(
  { bytes, isDeflated, checksum }: Frame,
  payloadBytes: number,
): Promise<Uint8Array | undefined> {
  if (crc32(bytes) !== checksum) return undefined;
  try {
    const payload = isDeflated ? await inflate(bytes, { maxOutputLength: payloadBytes }) : bytes;
    return payload.length === payloadBytes ? payload : undefined;
  } catch {
    return undefined;
  }
}
