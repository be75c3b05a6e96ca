import type { BlobId, BlobStat, BlobStoreLike, BlobWriter } from "../blob/blob-store.js";
import { ChunkSource } from "./chunk-source.js";
import {
  type Collected,
  collectedResult,
  collectUpTo,
  incompleteNote,
  MAX_COLLECTED_STREAM_BYTES,
} from "./collect-stream.js";
import type { Overview } from "./describe.js";
import { scanJson } from "./json-scan.js";
import { entriesWorthScanning } from "./json-summary.js";
import { PIECE_BYTES, PieceSource } from "./piece-source.js";
import { sniffMediaType } from "./sniff-media-type.js";
import type { ToolResultFields } from "./policy.js";
import { withDeadline } from "./store-deadline.js";
import { deadlineOf, type Storing, withoutStore } from "./store-failure.js";
import { keepValue, storedFields, surelyWorthStoringBytes } from "./store-output.js";
import { abandon, commitBlob } from "./store-text.js";
import { SAMPLE_WINDOW_BYTES, StreamSample } from "./stream-sample.js";

/**
 * Takes a tool's stream: inline if it ends below the threshold, and then nothing was stored; else it
 * goes to the store while it is produced, one chunk at a time. If the tool fails or the run is
 * aborted, what was read is kept and marked. If the store fails, the tool is stopped and both ends
 * of what was read are kept.
 */
export async function keepStream(
  stream: AsyncIterable<unknown>,
  storing: Storing,
): Promise<ToolResultFields> {
  const { context, store } = storing;
  const source = new ChunkSource(stream, context.signal);
  try {
    const start = await collectUpTo(source, surelyWorthStoringBytes(context.limits));
    if (start.isAll) return await keepCollected(start, source, storing);
    if (store.openWriter === undefined) {
      const all = await collectUpTo(source, MAX_COLLECTED_STREAM_BYTES, start);
      return await keepCollected(all, source, storing);
    }
    return await pump(start, source, storing);
  } finally {
    await source.close();
  }
}

function keepCollected(
  collected: Collected,
  source: ChunkSource,
  storing: Storing,
): Promise<ToolResultFields> {
  const { value, note, isError } = collectedResult(collected, source);
  return keepValue(value, isError ? withError(storing) : storing, { note });
}

async function pump(
  start: Collected,
  source: ChunkSource,
  storing: Storing,
): Promise<ToolResultFields> {
  const { limits } = storing.context;
  const sample = new StreamSample(Math.max(SAMPLE_WINDOW_BYTES, limits.fallbackMaxBytes));
  const first = Buffer.concat(start.chunks);
  // Before the store is asked: also of what it takes nothing of, the ends are shown.
  sample.add(first);
  let committed: { readonly id: BlobId; readonly stat: BlobStat };
  try {
    committed = await writeAll(first, source, sample, storing);
  } catch (error) {
    const isStopped = source.end === undefined;
    const note = source.end && incompleteNote(source.end, sample.byteCount);
    const text = sample.text();
    const isText = !text.head.includes("\u0000");
    return withoutStore(
      { sample: isText ? text : undefined, byteCount: sample.byteCount, isStopped, note },
      error,
      note === undefined ? storing : withError(storing),
    );
  }
  const note = source.end && incompleteNote(source.end, committed.stat.byteCount);
  const { context } = note === undefined ? storing : withError(storing);
  const overview = overviewOfStream(committed.stat, sample, limits.summaryMaxBytes);
  return storedFields(committed.id, overview, context, { note });
}

async function writeAll(
  first: Uint8Array,
  source: ChunkSource,
  sample: StreamSample,
  { context, store }: Storing,
): Promise<{ readonly id: BlobId; readonly stat: BlobStat }> {
  const deadline = deadlineOf(context);
  const writer = await withDeadline(
    () => openWriter(store, first),
    deadline,
    (late) => late.abort(),
  );
  const write = (piece: Uint8Array): Promise<void> =>
    withDeadline(() => writer.write(piece), deadline);
  try {
    for (let at = 0; at < first.length; at += PIECE_BYTES) {
      await write(first.subarray(at, at + PIECE_BYTES));
    }
    const pieces = new PieceSource(source);
    for (;;) {
      const piece = await pieces.next();
      if (piece === undefined) break;
      sample.add(piece);
      await write(piece);
    }
    return await commitBlob(store, writer, deadline);
  } catch (error) {
    // The store has failed already: it is told to clean up, and not waited for.
    void abandon(writer);
    throw error;
  }
}

/** The signal is not handed on: after an abort, what was read is still to be committed. */
async function openWriter(store: BlobStoreLike, first: Uint8Array): Promise<BlobWriter> {
  const writer = await store.openWriter?.({ mediaType: sniffMediaType(first) });
  if (writer === undefined) throw new TypeError("the store has no openWriter");
  return writer;
}

/** What is known of a stream once it is stored, from its ends and the totals of the store. */
export function overviewOfStream(stat: BlobStat, sample: StreamSample, maxBytes: number): Overview {
  const text = sample.text();
  if (stat.kind === "json_array" || stat.kind === "json_object") {
    const scan = scanJson(text.head, entriesWorthScanning(maxBytes), "prefix");
    return { stat, json: scan && { raw: text.head, scan } };
  }
  if (stat.kind === "binary") return { stat };
  return { stat: { ...stat, lineCount: stat.lineCount ?? sample.lineCount }, text };
}

function withError(storing: Storing): Storing {
  return { ...storing, context: { ...storing.context, isError: true } };
}
