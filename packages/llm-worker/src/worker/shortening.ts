import type { BlobId } from "../blob/blob-store.js";
import { type Content, structuredContent } from "../blob/content.js";
import { printSelector } from "../inspect/selector.js";
import type { Item, ToolCallItem, ToolResultItem } from "../model/item.js";
import { describeContent, describeText } from "../output/describe.js";
import { type JsonEntry, scanJson } from "../output/json-scan.js";
import type { OutputLimits } from "../output/output-limits.js";
import { savesHalf } from "../output/store-output.js";
import { blobRef, firstLine, summarize, UUID_PREFIX_BYTES, withBlobId } from "../output/summary.js";
import { wordsBeside } from "../output/summary-and-content.js";

/** How an item can be shorter, without anything of it being lost. */
export type Shortening =
  /** What is taken out is in a store already, or nobody wants to keep it. */
  | { readonly type: "ready"; readonly item: Item }
  /** `content` has to be stored first. */
  | {
      readonly type: "needs_store";
      readonly content: Content;
      readonly item: (id: BlobId) => Item;
    };

/** A value of this size stays beside those that were taken out: a path, a name, a flag. */
const MAX_KEPT_VALUE_BYTES = 200;
const MAX_ARGUMENTS = 256;

/**
 * A result without its content. One whose content is in no store gets a summary that names the blob,
 * with the whole of what its own summary said beyond the content, or, with `mayForget`, keeps the
 * summary it has.
 */
export function shorterResult(
  item: ToolResultItem,
  limits: OutputLimits,
  mayForget: boolean,
): Shortening | undefined {
  const { content, ...rest } = item;
  if (content === undefined) return undefined;
  if (item.blob !== undefined || mayForget) return { type: "ready", item: rest };
  const described = describeText(content, limits.summaryMaxBytes);
  const { stat } = described.overview;
  const own = wordsBeside(item.summary, content);
  const summary =
    own === undefined ? summarize(described.overview, limits) : `${firstLine(stat)}\n${own}`;
  if (!savesHalf(Buffer.byteLength(summary) + UUID_PREFIX_BYTES, stat)) return undefined;
  return {
    type: "needs_store",
    content: described.content,
    item: (id) => ({ ...rest, summary: withBlobId(id, summary), blob: blobRef(id, stat) }),
  };
}

/**
 * A call of more than `minBytes` of arguments with `[blob:<id>] | key:NAME` in the place of each long
 * value. All of the arguments are what is stored; the short values stay, in the model's own bytes. A
 * call that carries data of its provider may be signed, and stays as it is.
 */
export function shorterCall(call: ToolCallItem, minBytes: number): Shortening | undefined {
  const { arguments: text, blob, providerData } = call;
  if (blob !== undefined || providerData !== undefined) return undefined;
  if (Buffer.byteLength(text) <= minBytes) return undefined;
  const scan = scanJson(text, MAX_ARGUMENTS);
  if (scan?.root !== "object") return undefined;
  const long = scan.entries.filter(
    ({ start, end }) => Buffer.byteLength(text.slice(start, end)) > MAX_KEPT_VALUE_BYTES,
  );
  const content = structuredContent(text);
  const { stat } = describeContent(content, 0);
  if (!savesHalf(Buffer.byteLength(withReferences(text, long, UUID_SIZED)), stat)) return undefined;
  return {
    type: "needs_store",
    content,
    item: (id) => ({
      ...call,
      arguments: withReferences(text, long, id),
      blob: blobRef(id, stat),
    }),
  };
}

/** Stands in for the id of a blob that is not stored yet. */
const UUID_SIZED = "0".repeat(36);

/** What a shortening leaves, in the size that it will have. */
export function previewOf(shortening: Shortening): Item {
  return shortening.type === "ready" ? shortening.item : shortening.item(UUID_SIZED);
}

function withReferences(text: string, entries: readonly JsonEntry[], id: BlobId): string {
  let shorter = "";
  let at = 0;
  for (const { key: name = "", start, end } of entries) {
    const reference = withBlobId(id, `| ${printSelector([{ type: "key", name }])}`);
    shorter += text.slice(at, start) + JSON.stringify(reference);
    at = end;
  }
  return shorter + text.slice(at);
}
