import type { Content } from "../blob/content.js";
import { unreachable } from "../errors.js";
import type { MediaPart } from "../model/item.js";
import { ChunkSource } from "./chunk-source.js";
import { collectedResult, collectUpTo, MAX_COLLECTED_STREAM_BYTES } from "./collect-stream.js";
import { ELLIPSIS, fitsBytes } from "./cut.js";
import { decode, describeContent } from "./describe.js";
import { boundaryAtOrBefore } from "./grapheme.js";
import { describeDropped, describeMedia, splitMedia } from "./media-result.js";
import type { PolicyContext, ToolOutputPolicy, ToolResultFields } from "./policy.js";
import { inlineFields, keepStored, textOfContent } from "./store-output.js";
import { counted, firstLine } from "./summary.js";
import { countLines } from "./text-sample.js";
import { contentOf, contentOfValue, wellFormed } from "./tool-output.js";
import { readToolResult } from "./tool-result.js";

/** What can be told of {@link summaryAndContent}. */
export interface SummaryAndContentOptions {
  /** Longer outputs get a summary of their own. Default: the limits' `inlineMaxBytes`. */
  readonly summaryThresholdBytes?: number | undefined;
}

/** How much of the first line a summary shows, in UTF-16 units. */
const FIRST_LINE_UNITS = 80;

/**
 * The default policy without a store: a longer output is in the history whole, as `content`, until
 * it is pruned; its `summary` (`{lines} lines | {first line, 80 chars}…`) stays. Bytes that are no
 * text go to the store if there is one, else the history says what was left out. A stream is
 * collected up to {@link MAX_COLLECTED_STREAM_BYTES}; beyond that the tool is stopped, and the
 * summary says so.
 */
export function summaryAndContent(options: SummaryAndContentOptions = {}): ToolOutputPolicy {
  return {
    name: "summary_and_content",
    async apply(value, context) {
      const thresholdBytes = options.summaryThresholdBytes ?? context.limits.inlineMaxBytes;
      return keep(value, { context, thresholdBytes });
    },
  };
}

interface Keeping {
  readonly context: PolicyContext;
  readonly thresholdBytes: number;
}

async function keep(value: unknown, keeping: Keeping): Promise<ToolResultFields> {
  const { context } = keeping;
  const result = readToolResult(value);
  switch (result.type) {
    case "value":
      return keepContent(contentOfValue(result.value), keeping);
    case "stream":
      return keepStream(result.stream, keeping);
    case "parts":
      return keepParts(result.text, result.media, keeping);
    case "summarized": {
      const summary = wellFormed(result.summary);
      if (result.content === undefined) return inlineFields(summary, context);
      return withSummary(summary, await keepContent(contentOf(result.content), keeping));
    }
    case "output": {
      const { output } = result;
      if (output.kind === "inline") return inlineFields(wellFormed(output.text), context);
      const summary = wellFormed(output.summary);
      return withSummary(summary, await keepContent(contentOf(output.content), keeping));
    }
    default:
      return unreachable(result);
  }
}

/** The tool's own summary in place of ours, where the content is beside it; else above it. */
function withSummary(summary: string, fields: ToolResultFields): ToolResultFields {
  if (fields.content !== undefined) return { ...fields, summary };
  return { ...fields, summary: `${summary}\n${fields.summary}` };
}

async function keepStream(
  stream: AsyncIterable<unknown>,
  keeping: Keeping,
): Promise<ToolResultFields> {
  const source = new ChunkSource(stream, keeping.context.signal);
  try {
    const all = await collectUpTo(source, MAX_COLLECTED_STREAM_BYTES);
    const { value, note, isError } = collectedResult(all, source);
    const context = isError ? { ...keeping.context, isError } : keeping.context;
    return await keepContent(contentOfValue(value), { ...keeping, context }, note);
  } finally {
    await source.close();
  }
}

async function keepParts(
  text: string,
  media: readonly MediaPart[],
  keeping: Keeping,
): Promise<ToolResultFields> {
  const { native, oversized } = splitMedia(media);
  const described = text === "" ? native.map(describeMedia).join("\n") : text;
  const dropped = oversized.map(describeDropped).join("\n");
  const fields = await keepContent(
    contentOfValue(described),
    keeping,
    dropped === "" ? undefined : dropped,
  );
  return native.length === 0 ? fields : { ...fields, parts: native };
}

async function keepContent(
  content: Content,
  { context, thresholdBytes }: Keeping,
  note?: string,
): Promise<ToolResultFields> {
  const text = textOfContent(content);
  if (text === undefined) return keepBytes(content, context, note);
  if (fitsBytes(text, thresholdBytes)) return inlineFields(text, context, note);
  return { ...inlineFields(lineSummary(text), context, note), content: text };
}

function keepBytes(
  content: Content,
  context: PolicyContext,
  note: string | undefined,
): Promise<ToolResultFields> | ToolResultFields {
  const { store, limits } = context;
  const overview = describeContent(content, limits.summaryMaxBytes);
  if (store !== undefined) {
    const storing = { context, store, onStoreFailure: "fallback" } as const;
    return keepStored({ content, overview }, storing, { note });
  }
  const facts = firstLine(overview.stat);
  if (overview.stat.kind === "text" && content.type === "binary") {
    return { ...inlineFields(facts, context, note), content: decode(content.bytes) };
  }
  return inlineFields(
    `[left out: ${facts}: it is no text, and there is no store for it]`,
    context,
    note,
  );
}

/** What the summary beside a content says and the content does not: a tool's own words, or a note. */
export function wordsBeside(summary: string, content: string): string | undefined {
  const ours = lineSummary(content);
  if (summary === ours || summary === "") return undefined;
  return summary.startsWith(`${ours}\n`) ? summary.slice(ours.length + 1) : summary;
}

function lineSummary(text: string): string {
  const lineEnd = text.indexOf("\n");
  const line = lineEnd === -1 ? text : text.slice(0, lineEnd).replace(/\r$/, "");
  const shown = line.slice(0, boundaryAtOrBefore(line, Math.min(line.length, FIRST_LINE_UNITS)));
  const mark = shown.length < text.length ? ELLIPSIS : "";
  return `${counted(countLines(text), "line", "lines")} | ${shown}${mark}`;
}
