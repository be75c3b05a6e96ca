import type { BlobId, BlobStat, BlobStoreLike } from "../blob/blob-store.js";
import type { Content, TextContent } from "../blob/content.js";
import {
  describeContent,
  describedContent,
  type Described,
  describeLongText,
  type Overview,
} from "./describe.js";
import { MIN_INDEXED_BYTES } from "../blob/index-builder.js";
import { isTextMediaType } from "../blob/media-type.js";
import { fitsBytes } from "./cut.js";
import type { OutputLimits } from "./output-limits.js";
import type { PolicyContext, ToolResultFields } from "./policy.js";
import { assertBlobId, type Deadline, withDeadline } from "./store-deadline.js";
import { deadlineOf, type Storing, withoutStore } from "./store-failure.js";
import { isLargeText, type StreamStore, takesStreams, writeText } from "./store-text.js";
import {
  blobRef,
  firstLine,
  MAX_FIRST_LINE_BYTES,
  summarize,
  type SummaryParts,
  UUID_PREFIX_BYTES,
  withBlobId,
} from "./summary.js";
import { countLines, sampleBytes, sampleText, type TextSample } from "./text-sample.js";
import { promote, type Promoted, wellFormed } from "./tool-output.js";

/** Fields of a result that is all in the history. */
export function inlineFields(
  text: string,
  context: Pick<PolicyContext, "isError">,
  note?: string,
): ToolResultFields {
  const summary = note === undefined ? text : `${text}${text === "" ? "" : "\n"}${note}`;
  return { summary, ...(context.isError ? { isError: true } : {}) };
}

/** An output over this size is stored, and nothing but a summary of it is in the history. */
export function surelyWorthStoringBytes(limits: OutputLimits): number {
  return Math.max(limits.inlineMaxBytes, 2 * limits.summaryMaxBytes, limits.freshMaxBytes);
}

/** A longer text is looked at in turns with the rest of the program. */
const LONG_TEXT_UNITS = 2 ** 20;

async function promoteLongText(value: string, limits: OutputLimits): Promise<Promoted> {
  const text = wellFormed(value);
  if (fitsBytes(text, limits.inlineMaxBytes)) return { kind: "inline", text };
  return { kind: "stored", described: await describeLongText(text, limits.summaryMaxBytes) };
}

/** Text, bytes or JSON: inline up to the threshold or where storing saves too little, else stored. */
export async function keepValue(
  value: unknown,
  storing: Storing,
  parts: SummaryParts = {},
): Promise<ToolResultFields> {
  const { context } = storing;
  const promoted =
    typeof value === "string" && value.length >= LONG_TEXT_UNITS
      ? await promoteLongText(value, context.limits)
      : promote(value, context.limits);
  if (promoted.kind === "inline") return inlineFields(promoted.text, context, parts.note);
  const { described } = promoted;
  const text = textOfContent(described.content);
  if (text !== undefined && !isWorthStoring(text, described, context.limits, parts)) {
    return inlineFields(text, context, parts.note);
  }
  return keepPromoted(described, storing, parts);
}

/** The tool's own summary with what it is about: both inline if they are small, else stored. */
export async function keepSummarized(
  summary: string,
  content: Content,
  storing: Storing,
): Promise<ToolResultFields> {
  const { context } = storing;
  const described = describedContent(content, context.limits.summaryMaxBytes);
  const text = textOfContent(content);
  if (text !== undefined) {
    const isSmall = fitsBytes(`${summary}\n${text}`, context.limits.inlineMaxBytes);
    if (isSmall || !isWorthStoring(text, described, context.limits, { own: summary })) {
      return { ...inlineFields(summary, context), content: text };
    }
  }
  return keepPromoted(described, storing, { own: summary });
}

/** Stored, and, while it is fresh, whole in the history too. */
async function keepPromoted(
  described: Described,
  storing: Storing,
  parts: SummaryParts,
): Promise<ToolResultFields> {
  const { content } = described;
  const text = textOfContent(content);
  if (text === undefined || !fitsBytes(text, storing.context.limits.freshMaxBytes)) {
    return isLargeText(content) && takesStreams(storing.store)
      ? keepLargeText(content, storing.store, storing, parts)
      : keepStored(described, storing, parts);
  }
  // Without samples: beside the content they would say the same twice.
  const { stat } = described.overview;
  const fields = await keepStored({ content, overview: { stat } }, storing, parts);
  return fields.blob === undefined ? fields : { ...fields, content: text };
}

/** Puts content into the store and its summary into the history. */
export async function keepStored(
  described: Described,
  storing: Storing,
  parts: SummaryParts = {},
): Promise<ToolResultFields> {
  const { context, store } = storing;
  const { content } = described;
  const stored = storeContent(store, content, deadlineOf(context));
  // While the store is at work. What it indexes it has counted in the end, and need not be counted apart.
  const summary = isIndexed(content)
    ? undefined
    : summarize(described.overview, context.limits, parts);
  let id: BlobId;
  try {
    id = await stored;
  } catch (error) {
    return keepUnstored(described, error, storing, parts);
  }
  const { overview } = described;
  return summary !== undefined && idBytesOf(id) === UUID_PREFIX_BYTES
    ? fieldsOfStored(id, overview.stat, withBlobId(id, summary), context)
    : storedFields(id, overview, context, parts);
}

function isIndexed(content: Content): boolean {
  return content.type === "text" && content.text.length >= MIN_INDEXED_BYTES;
}

/** The totals of a large text are those that the store has counted while it wrote. */
async function keepLargeText(
  content: TextContent,
  store: StreamStore,
  storing: Storing,
  parts: SummaryParts,
): Promise<ToolResultFields> {
  const { context } = storing;
  const { text } = content;
  let written: { readonly id: BlobId; readonly stat: BlobStat };
  try {
    written = await writeText(store, text, deadlineOf(context));
  } catch (error) {
    return keepUnstored({ content, overview: describeContent(content, 0) }, error, storing, parts);
  }
  const { id, stat } = written;
  const counted = { ...stat, lineCount: stat.lineCount ?? countLines(text) };
  const overview = { stat: counted, text: sampleText(text, context.limits.summaryMaxBytes) };
  return storedFields(id, overview, context, parts);
}

function keepUnstored(
  { content, overview }: Described,
  error: unknown,
  storing: Storing,
  parts: SummaryParts,
): ToolResultFields {
  const { stat } = overview;
  const sample = sampleOfContent(content, storing.context.limits.fallbackMaxBytes);
  const note = parts.own ?? parts.note;
  return withoutStore({ stat, sample, byteCount: stat.byteCount, note }, error, storing);
}

/** Fields of a result that is in the store, and the event that says so. */
export function storedFields(
  id: BlobId,
  overview: Overview,
  context: PolicyContext,
  parts: SummaryParts = {},
): ToolResultFields {
  const summary = summarize(overview, context.limits, { ...parts, idBytes: idBytesOf(id) });
  return fieldsOfStored(id, overview.stat, withBlobId(id, summary), context);
}

function fieldsOfStored(
  id: BlobId,
  stat: BlobStat,
  summary: string,
  context: PolicyContext,
): ToolResultFields {
  const { callId, toolName, isError } = context;
  context.report({
    type: "output_stored",
    callId,
    toolName,
    blobId: id,
    byteCount: stat.byteCount,
    summaryBytes: Buffer.byteLength(summary),
  });
  return { summary, blob: blobRef(id, stat), ...(isError ? { isError: true } : {}) };
}

function idBytesOf(id: BlobId): number {
  return Buffer.byteLength(withBlobId(id, ""));
}

/**
 * Stores content within the deadline; what is stored later is deleted, as nothing refers to it. A store that
 * cannot delete keeps it for its clean-up.
 *
 * @throws StoreTimeoutError, TypeError if the store gives no id, or what the store throws
 */
export async function storeContent(
  store: BlobStoreLike,
  content: Content,
  deadline: Deadline,
): Promise<BlobId> {
  const id = await withDeadline(
    () => store.store(content),
    deadline,
    (late) => store.delete?.(late),
  );
  assertBlobId(id);
  return id;
}

/** The tool's own summary, unless it is the one that `ToolOutput.from` makes anyway. */
export function ownWords(summary: string, overview: Overview): string | undefined {
  return summary.startsWith(firstLine(overview.stat)) ? undefined : summary;
}

/** The text of content that can be in a history as it is; `undefined` for bytes. */
export function textOfContent(content: Content): string | undefined {
  switch (content.type) {
    case "text":
      return content.text;
    case "structured":
      return content.raw;
    case "binary":
      return undefined;
  }
}

function sampleOfContent(content: Content, maxBytes: number): TextSample | undefined {
  if (content.type !== "binary") return sampleText(textOfContent(content) ?? "", maxBytes);
  return isTextMediaType(content.mediaType) ? sampleBytes(content.bytes, maxBytes) : undefined;
}

/** The text is looked at only where the bytes that any summary of it has at most leave it open. */
function isWorthStoring(
  text: string,
  described: Described,
  limits: OutputLimits,
  parts: SummaryParts,
): boolean {
  const mostBytes = Math.max(limits.summaryMaxBytes, UUID_PREFIX_BYTES + MAX_FIRST_LINE_BYTES);
  if (2 * mostBytes <= text.length) return true;
  const { overview } = described;
  const summary = summarize(overview, limits, parts);
  return savesHalf(UUID_PREFIX_BYTES + Buffer.byteLength(summary), overview.stat);
}

/** Storing is worth the later look only if the summary saves at least half. */
export function savesHalf(summaryBytes: number, stat: BlobStat): boolean {
  return 2 * summaryBytes <= stat.byteCount;
}
