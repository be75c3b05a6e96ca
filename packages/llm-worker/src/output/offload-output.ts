import { constants } from "node:buffer";
import { ChunkSource } from "./chunk-source.js";
import { type Collected, collectedResult, collectUpTo, incompleteNote } from "./collect-stream.js";
import { decode, isPlainText } from "./describe.js";
import type { FileBackend } from "./file-backend.js";
import { FileFacts } from "./file-facts.js";
import { offloadNotice } from "./offload-notice.js";
import { fileNameOf, type OffloadedCall } from "./offload-path.js";
import { PIECE_BYTES, PieceSource } from "./piece-source.js";
import type { PolicyContext, ToolResultFields } from "./policy.js";
import { deadlineOf, withoutStore } from "./store-failure.js";
import { inlineFields } from "./store-output.js";
import { decodeHead } from "./text-sample.js";
import { writeFile } from "./write-file.js";

/** What a policy that offloads works with. */
export interface Offloading {
  readonly context: PolicyContext;
  readonly backend: FileBackend;
  readonly readFileToolName: string;
  readonly onStoreFailure: "fallback" | "throw";
  /** A text of more bytes is too long; `undefined` where only `isTooLong` can tell. */
  readonly surelyTooLongBytes: number | undefined;
  pathGenerator(call: OffloadedCall): string;
  isTooLong(text: string): Promise<boolean>;
}

/** What goes into the notice beside the output's own facts. */
export interface OffloadParts {
  readonly note?: string | undefined;
  readonly own?: string | undefined;
}

/** Text: in the history if it is not too long, else in a file. */
export async function keepText(
  text: string,
  offloading: Offloading,
  parts: OffloadParts = {},
): Promise<ToolResultFields> {
  if (await offloading.isTooLong(text)) return offloadValue(text, offloading, parts);
  return inlineFields(text, offloading.context, parts.note);
}

/** Bytes: as text if they are that, else in a file. */
export function keepBytes(
  bytes: Uint8Array,
  offloading: Offloading,
  parts: OffloadParts = {},
): Promise<ToolResultFields> {
  const isText = bytes.length <= constants.MAX_STRING_LENGTH && isPlainText(bytes);
  return isText
    ? keepText(decode(bytes), offloading, parts)
    : offloadValue(bytes, offloading, parts);
}

/** Before there is more of a stream than this, a `tokenCounter` is asked; then it is too long anyway. */
const MAX_COUNTED_STREAM_BYTES = 16 * 1024 * 1024;
const FIRST_COUNTED_BYTES = 65_536;

/**
 * Takes a tool's stream: in the history if it ends in time, and then nothing was written; else it goes
 * to a file while it is produced. If the tool fails or the run is aborted, what was read is kept and
 * marked. If the backend fails, the tool is stopped and both ends of what was read are kept.
 */
export async function keepStream(
  stream: AsyncIterable<unknown>,
  offloading: Offloading,
): Promise<ToolResultFields> {
  const source = new ChunkSource(stream, offloading.context.signal);
  try {
    const start = await collectWhileShort(source, offloading);
    if (!start.isAll) return await offload({ start, source, isHeld: false }, offloading);
    const { value, note, isError } = collectedResult(start, source);
    const marked = isError ? withError(offloading) : offloading;
    if (typeof value === "string") return await keepText(value, marked, { note });
    return await keepBytes(value, marked, { note });
  } finally {
    await source.close();
  }
}

/** Text or bytes that go to a file whatever their size. */
export function offloadValue(
  value: string | Uint8Array,
  offloading: Offloading,
  parts: OffloadParts = {},
): Promise<ToolResultFields> {
  // A long string is written in pieces, without a second copy of it.
  const source = new ChunkSource(once(value), undefined);
  return offload({ source, isHeld: true }, offloading, parts);
}

interface Output {
  /** What was read of the source already. */
  readonly start?: Collected | undefined;
  readonly source: ChunkSource;
  /** All of it is in memory: it can be read to its end whatever happens. */
  readonly isHeld: boolean;
}

async function offload(
  { start, source, isHeld }: Output,
  offloading: Offloading,
  { note, own }: OffloadParts = {},
): Promise<ToolResultFields> {
  const { context, backend, readFileToolName } = offloading;
  const { callId, toolName, limits } = context;
  const facts = new FileFacts(limits.fallbackMaxBytes);
  const pieces = new PieceSource(source);
  let held: Uint8Array = Buffer.concat(start?.chunks ?? []);
  if (held.length > 0) facts.add(held);
  const next = async (): Promise<Uint8Array | undefined> => {
    if (held.length > 0) {
      const piece = held.subarray(0, PIECE_BYTES);
      held = held.subarray(PIECE_BYTES);
      return piece;
    }
    const piece = await pieces.next();
    if (piece !== undefined) facts.add(piece);
    return piece;
  };
  const endNote = (): string | undefined =>
    source.end && incompleteNote(source.end, facts.byteCount);

  let path: string;
  try {
    const wanted = offloading.pathGenerator({ callId, toolName, fileName: fileNameOf(callId) });
    path = await writeFile(backend, wanted, next, deadlineOf(context));
  } catch (error) {
    while (isHeld && (await next()) !== undefined);
    const { stat, sample } = facts.describe();
    const incomplete = isHeld ? undefined : endNote();
    return withoutStore(
      {
        ...(isHeld ? { stat } : {}),
        sample,
        byteCount: facts.byteCount,
        isStopped: source.end === undefined,
        note: incomplete ?? own ?? note,
      },
      error,
      incomplete === undefined ? offloading : withError(offloading),
    );
  }
  const incomplete = endNote();
  const description = facts.describe();
  const file = { path, byteCount: facts.byteCount, lineCount: description.lineCount };
  const summary = offloadNotice(file, description, {
    callId,
    readFileToolName,
    note: incomplete ?? note,
    own,
  });
  context.report({
    type: "output_offloaded",
    callId,
    toolName,
    path,
    byteCount: file.byteCount,
    summaryBytes: Buffer.byteLength(summary),
  });
  const isError = context.isError || incomplete !== undefined;
  return { summary, files: [file], ...(isError ? { isError } : {}) };
}

/** Reads a stream to its end, or as far as needed to know that it is too long. */
async function collectWhileShort(source: ChunkSource, offloading: Offloading): Promise<Collected> {
  const { surelyTooLongBytes } = offloading;
  if (surelyTooLongBytes !== undefined) return collectUpTo(source, surelyTooLongBytes);
  let maxBytes = FIRST_COUNTED_BYTES;
  let collected = await collectUpTo(source, maxBytes);
  while (!collected.isAll && maxBytes < MAX_COUNTED_STREAM_BYTES) {
    if (await offloading.isTooLong(decodeHead(Buffer.concat(collected.chunks), "cut"))) break;
    maxBytes *= 2;
    collected = await collectUpTo(source, maxBytes, collected);
  }
  return collected;
}

async function* once(value: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield value;
}

function withError(offloading: Offloading): Offloading {
  return { ...offloading, context: { ...offloading.context, isError: true } };
}
