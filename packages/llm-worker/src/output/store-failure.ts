import type { BlobStat, BlobStoreErrorCode, BlobStoreLike } from "../blob/blob-store.js";
import { errorMessage, LlmWorkerError } from "../errors.js";
import { cutEnd, ELLIPSIS, fitsBytes, takeHead, takeTail } from "./cut.js";
import type { PolicyContext, ToolResultFields } from "./policy.js";
import { type Deadline, storeFailureCode } from "./store-deadline.js";
import { counted, firstLine } from "./summary.js";
import type { TextSample } from "./text-sample.js";

/** What a policy that stores works with. */
export interface Storing {
  readonly context: PolicyContext;
  readonly store: BlobStoreLike;
  readonly onStoreFailure: "fallback" | "throw";
}

/** What there is of an output that could not be stored. */
export interface Unstored {
  /** Absent for a stream: it was not all seen, so nothing but its ends is known. */
  readonly stat?: BlobStat | undefined;
  readonly sample?: TextSample | undefined;
  readonly byteCount: number;
  /** The tool was stopped, so even `byteCount` is not all. */
  readonly isStopped?: boolean | undefined;
  /** The tool's own summary, or why the output is incomplete anyway. */
  readonly note?: string | undefined;
}

/** The store failed, and the user chose that this fails the tool call. */
export class OutputStoreError extends LlmWorkerError {
  readonly code = "output_store_failed";
  /** Why the store failed. */
  readonly storeCode: BlobStoreErrorCode | "timeout";
  constructor(storeCode: BlobStoreErrorCode | "timeout", cause: unknown) {
    super(`the output could not be stored (${storeCode}): see the cause`, { cause });
    this.storeCode = storeCode;
  }
}

/** The time that one operation of the store may take. */
export function deadlineOf({ limits, signal }: PolicyContext): Deadline {
  return { timeoutMs: limits.storeTimeoutMs, signal };
}

/**
 * Makes the best of an output that could not be stored: as much of both its ends as
 * `fallbackMaxBytes` allows, with a first line that says what is missing and why.
 *
 * @throws OutputStoreError with `onStoreFailure: "throw"`
 */
export function withoutStore(
  unstored: Unstored,
  thrown: unknown,
  { context, onStoreFailure }: Pick<Storing, "context" | "onStoreFailure">,
): ToolResultFields {
  const code = storeFailureCode(thrown);
  const { callId, toolName, isError, limits } = context;
  const fallback = fallbackText(unstored, reasonOf(thrown), limits.fallbackMaxBytes);
  context.report({
    type: "output_store_failed",
    callId,
    toolName,
    code,
    message: errorMessage(thrown),
    byteCount: unstored.byteCount,
    keptBytes: onStoreFailure === "throw" ? 0 : fallback.keptBytes,
  });
  if (onStoreFailure === "throw") throw new OutputStoreError(code, thrown);
  return { summary: fallback.text, ...(isError ? { isError } : {}) };
}

/** The code, and the system's own word for it where the store passes that on. */
function reasonOf(thrown: unknown): string {
  const code = storeFailureCode(thrown);
  const own = typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code;
  return typeof own === "string" && /^E[A-Z0-9]{2,15}$/.test(own) ? `${code}, ${own}` : code;
}

interface Fallback {
  readonly text: string;
  readonly keptBytes: number;
}

function fallbackText(unstored: Unstored, reason: string, maxBytes: number): Fallback {
  const { sample, byteCount, isStopped = false, note } = unstored;
  const below = note === undefined ? "" : `\n${cutEnd(note, Math.floor(maxBytes / 4))}`;
  const titled = (keptBytes: number, which: string, body: string): Fallback => ({
    text: `${incompleteLine(unstored, reason, keptBytes, which)}${below}${body}`,
    keptBytes,
  });
  if (sample === undefined) return titled(0, "", "");
  if (sample.isWhole) {
    const whole = isStopped
      ? titled(byteCount, "", `\n${sample.head}`)
      : { text: sample.head + below, keptBytes: byteCount };
    if (fitsBytes(whole.text, maxBytes)) return whole;
  }
  const which = ": the first and the last";
  const frame = titled(byteCount, which, `\n${ELLIPSIS}\n${ELLIPSIS}`).text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(frame));
  const head = takeHead(sample.head, Math.ceil(room / 2));
  const tail = takeTail(sample.isWhole ? sample.head : sample.tail, Math.floor(room / 2));
  // Bytes that are not valid UTF-8 are shown as longer ones.
  const keptBytes = Math.min(byteCount, Buffer.byteLength(head) + Buffer.byteLength(tail));
  return titled(keptBytes, which, `\n${head}${ELLIPSIS}\n${ELLIPSIS}${tail}`);
}

function incompleteLine(
  { stat, byteCount, isStopped }: Unstored,
  reason: string,
  keptBytes: number,
  which: string,
): string {
  const what =
    stat === undefined || stat.kind === "text" ? "output" : `output (${firstLine(stat)})`;
  const read = counted(byteCount, "byte", "bytes");
  const stopped = isStopped === true ? `, and the tool was stopped after ${read}` : "";
  return (
    `[incomplete: this ${what} could not be stored (${reason})${stopped}. ` +
    `${String(keptBytes)} of ${read} are shown${which}]`
  );
}
