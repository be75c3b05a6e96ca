import type { BlobId, BlobStat } from "../blob/blob-store.js";
import type { Content } from "../blob/content.js";
import type { BlobRef } from "../model/item.js";
import { cutEnd } from "./cut.js";
import { describeContent, type Overview } from "./describe.js";
import { arraySections, objectSections } from "./json-summary.js";
import { leanLimits, type OutputLimits } from "./output-limits.js";
import { textSections } from "./text-summary.js";

/** What decides how a summary looks. */
export type SummaryLimits = Pick<OutputLimits, "summaryMaxBytes" | "headLines" | "tailLines">;

/** What goes into a summary beside the content's own facts. */
export interface SummaryParts {
  /** One line below the first one, such as why the content is incomplete. */
  readonly note?: string | undefined;
  /** The tool's own words, in place of the sections. */
  readonly own?: string | undefined;
  /** Room that is left for the id. Default: what a UUID takes. */
  readonly idBytes?: number | undefined;
}

/** Bytes that {@link withBlobId} adds for a UUID. */
export const UUID_PREFIX_BYTES: number = Buffer.byteLength(idPrefix("0".repeat(36)));

/** A note gets at most this much of a summary. */
const MAX_NOTE_SHARE = 0.5;
const MAX_MEDIA_TYPE_BYTES = 64;

/** The most that {@link firstLine} takes: a media type and the largest numbers. */
export const MAX_FIRST_LINE_BYTES = 128;

/**
 * The summary of a blob that has no id yet: a first line with kind and exact totals, then samples.
 * With the id put in front by {@link withBlobId} it has at most `summaryMaxBytes`; the first line is
 * whole even where the limit is lower than that.
 */
export function summarizeContent(
  content: Content,
  limits: SummaryLimits = leanLimits,
  parts: SummaryParts = {},
): string {
  return summarize(describeContent(content, limits.summaryMaxBytes), limits, parts);
}

/** As {@link summarizeContent}, from what is known of the content without having it. */
export function summarize(
  overview: Overview,
  limits: SummaryLimits,
  parts: SummaryParts = {},
): string {
  const { note, own, idBytes = UUID_PREFIX_BYTES } = parts;
  let summary = firstLine(overview.stat);
  const room = (): number => limits.summaryMaxBytes - idBytes - Buffer.byteLength(summary);
  if (note !== undefined) {
    const line = cutEnd(note.replaceAll(/[\r\n]+/g, " "), Math.floor(room() * MAX_NOTE_SHARE) - 1);
    if (line !== "") summary += `\n${line}`;
  }
  if (own === undefined) return summary + sections(overview, limits, room());
  const words = cutEnd(own, room() - 1);
  return words === "" ? summary : `${summary}\n${words}`;
}

/** Puts `[blob:<id>] ` in front of a summary. */
export function withBlobId(id: BlobId, summary: string): string {
  return idPrefix(id) + summary;
}

/** How an item refers to a blob of these facts. */
export function blobRef(id: BlobId, stat: BlobStat): BlobRef {
  const { kind, byteCount } = stat;
  const count = stat.lineCount ?? stat.entryCount ?? stat.keyCount;
  return { id, kind, byteCount, ...(count === undefined ? {} : { count }) };
}

/** Kind and exact totals: `text | 1204 lines | 98211 bytes`. */
export function firstLine(stat: BlobStat): string {
  const size = counted(stat.byteCount, "byte", "bytes");
  switch (stat.kind) {
    case "text": {
      const encoding = stat.validUtf8 === false ? " | not valid UTF-8" : "";
      const format = stat.entryCount === undefined ? "" : " | ndjson";
      return `text | ${counted(stat.lineCount ?? 0, "line", "lines")} | ${size}${encoding}${format}`;
    }
    case "json_array":
      return `json_array | ${counted(stat.entryCount ?? 0, "entry", "entries")} | ${size}`;
    case "json_object":
      return `json_object | ${counted(stat.keyCount ?? 0, "key", "keys")} | ${size}`;
    case "json_value":
      return `json_value | ${size}`;
    case "binary": {
      // A media type may come from a tool: whatever it holds, this stays one short line.
      const mediaType = stat.mediaType.replaceAll(/[^\x21-\x7e]+/g, " ");
      return `binary ${cutEnd(mediaType, MAX_MEDIA_TYPE_BYTES)} | ${size}`;
    }
  }
}

function sections({ stat, text, json }: Overview, limits: SummaryLimits, room: number): string {
  if (json !== undefined && stat.kind === "json_array") return arraySections(json, room);
  if (json !== undefined && stat.kind === "json_object") {
    return objectSections(json, stat.keyCount ?? json.scan.count, room);
  }
  return text === undefined ? "" : textSections(text, limits, room);
}

function idPrefix(id: BlobId): string {
  return `[blob:${id}] `;
}

/** `1 line`, `2 lines`. */
export function counted(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
