import { cutEnd } from "./cut.js";
import type { ChunkSource, StreamEnd } from "./chunk-source.js";
import { decode } from "./describe.js";
import { counted } from "./summary.js";

/** A stream that cannot be passed on while it is produced is collected up to this. */
export const MAX_COLLECTED_STREAM_BYTES: number = 64 * 1024 * 1024;

/** An error message inside a note gets at most this much; the note is not the place for more. */
const MAX_MESSAGE_BYTES = 200;

/** The first part of a stream, or all of it. */
export interface Collected {
  readonly chunks: readonly Uint8Array[];
  readonly byteCount: number;
  /** `true`: the stream has ended within the limit. */
  readonly isAll: boolean;
}

/** What a stream has come to, in place of a value that a tool returns. */
export interface CollectedResult {
  readonly value: string | Uint8Array;
  /** Why this is not all. */
  readonly note?: string | undefined;
  readonly isError: boolean;
}

/** Reads until there are more than `maxBytes`, or to the end. Copies: a tool may reuse its buffer. */
export async function collectUpTo(
  source: ChunkSource,
  maxBytes: number,
  start?: Collected,
): Promise<Collected> {
  const chunks = [...(start?.chunks ?? [])];
  let byteCount = start?.byteCount ?? 0;
  while (byteCount <= maxBytes) {
    const chunk = await source.next();
    if (chunk === undefined) return { chunks, byteCount, isAll: true };
    chunks.push(new Uint8Array(chunk));
    byteCount += chunk.length;
  }
  return { chunks, byteCount, isAll: false };
}

/** The value of a stream that has ended, or of which no more will be read. */
export function collectedResult(collected: Collected, source: ChunkSource): CollectedResult {
  const { chunks, byteCount, isAll } = collected;
  if (isAll && byteCount === 0 && source.end?.type === "failed") {
    return { value: source.end.message, isError: true };
  }
  const bytes = Buffer.concat(chunks);
  const value = source.isAllText ? decode(bytes) : bytes;
  if (!isAll) {
    const read = counted(byteCount, "byte", "bytes");
    return { value, note: `incomplete: the tool was stopped after ${read}`, isError: false };
  }
  const note = source.end && incompleteNote(source.end, byteCount);
  return note === undefined ? { value, isError: false } : { value, note, isError: true };
}

/** One line that says why and after how much a stream has ended early; `undefined` if it has not. */
export function incompleteNote(end: StreamEnd, byteCount: number): string | undefined {
  const read = counted(byteCount, "byte", "bytes");
  switch (end.type) {
    case "finished":
      return undefined;
    case "aborted":
      return `incomplete: aborted after ${read}`;
    case "failed":
      return `incomplete: the tool failed after ${read}: ${cutEnd(end.message, MAX_MESSAGE_BYTES)}`;
  }
}
