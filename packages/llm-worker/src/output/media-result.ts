import type { MediaPart } from "../model/item.js";
import { counted, firstLine } from "./summary.js";

/** An image or file goes to the model natively up to this many base64 characters (5 MB at providers). */
export const MAX_NATIVE_MEDIA_CHARS: number = 5 * 1024 * 1024;

/** A part whose data is too large to be sent natively. */
export interface OversizedMedia {
  readonly mediaType: string;
  readonly data: string;
}

/** Tells media that can be sent natively from those that cannot. */
export function splitMedia(media: readonly MediaPart[]): {
  readonly native: readonly MediaPart[];
  readonly oversized: readonly OversizedMedia[];
} {
  const native: MediaPart[] = [];
  const oversized: OversizedMedia[] = [];
  for (const part of media) {
    const { source } = part;
    if (source.type === "base64" && source.data.length > MAX_NATIVE_MEDIA_CHARS) {
      oversized.push({ mediaType: source.mediaType, data: source.data });
    } else native.push(part);
  }
  return { native, oversized };
}

/** One line that says what a part is: `image image/png | 150123 bytes`. */
export function describeMedia({ type, source }: MediaPart): string {
  if (source.type === "url") return `${type} at a URL`;
  const { mediaType, data } = source;
  return `${type} ${mediaType} | ${counted(base64ByteCount(data), "byte", "bytes")}`;
}

/** One line for media that can neither be sent nor stored. */
export function describeDropped({ mediaType, data }: OversizedMedia): string {
  const stat = { kind: "binary", byteCount: base64ByteCount(data), mediaType } as const;
  return `[left out: ${firstLine(stat)}: too large to be sent, and there is no store for it]`;
}

function base64ByteCount(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor((data.length * 3) / 4) - padding;
}
