import type { ContentPart, JsonValue, MediaPart, MessageItem, ToolResultItem } from "llm-worker";
import { isRecord, SILENT_ERROR_TEXT, toolResultText, wellFormedJson } from "llm-worker";
import { type MediaBlock, SCHEME_NAME, type TextBlock, type WireSource } from "./wire.js";

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
]);

/** The blocks of a message. Blank text is left out: the server refuses it (A3). */
export function messageBlocks(item: MessageItem): readonly (TextBlock | MediaBlock)[] {
  const blocks: (TextBlock | MediaBlock)[] = [];
  const citations = citationsOf(item);
  for (const part of item.content) {
    const block = item.role === "assistant" ? assistantBlock(part) : userBlock(part);
    if (block.type !== "text" || !isBlank(block.text)) blocks.push(block);
  }
  const [only] = blocks;
  if (citations === undefined || blocks.length !== 1 || only?.type !== "text") return blocks;
  return [{ ...only, citations }];
}

/** The block of a result: its text as a string, or a list where images or files go with it. */
export function toolResultJson(item: ToolResultItem, callId: string): string {
  const text = toolResultText(item).toWellFormed();
  const isError = item.isError === true;
  // An error result without text is refused (400).
  const said = isBlank(text) ? (isError ? SILENT_ERROR_TEXT : undefined) : text;
  const content = resultContent(said, item.parts ?? []);
  const contentField = content === undefined ? "" : `,"content":${contentJson(content)}`;
  const errorField = isError ? ',"is_error":true' : "";
  return `{"type":"tool_result","tool_use_id":${JSON.stringify(callId)}${contentField}${errorField}}`;
}

function contentJson(content: unknown): string {
  const json = JSON.stringify(content);
  // The text is well-formed; what goes with it may be anything.
  return typeof content === "string" ? json : wellFormedJson(json);
}

function resultContent(said: string | undefined, parts: readonly MediaPart[]): unknown {
  if (parts.length === 0) return said;
  const texts: readonly TextBlock[] = said === undefined ? [] : [{ type: "text", text: said }];
  return [...texts, ...parts.map(mediaBlock)];
}

/** Whether a text is nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

function userBlock(part: ContentPart): TextBlock | MediaBlock {
  return part.type === "text" ? { type: "text", text: part.text.toWellFormed() } : mediaBlock(part);
}

/** Images and documents are not allowed in the assistant's messages (400). */
function assistantBlock(part: ContentPart): TextBlock {
  if (part.type === "text") return { type: "text", text: part.text.toWellFormed() };
  return { type: "text", text: `[an ${part.type} that the assistant made is not shown here]` };
}

function mediaBlock(part: MediaPart): TextBlock | MediaBlock {
  return part.type === "image" ? imageBlock(part) : documentBlock(part);
}

function imageBlock({ source }: MediaPart & { type: "image" }): TextBlock | MediaBlock {
  if (source.type === "url") return { type: "image", source: { type: "url", url: source.url } };
  const { mediaType, data } = source;
  if (!IMAGE_TYPES.has(mediaType)) return omitted("image", mediaType, "GIF, JPEG, PNG or WebP");
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function documentBlock({ source, name }: MediaPart & { type: "file" }): TextBlock | MediaBlock {
  const wireSource = documentSource(source);
  if (wireSource === undefined) {
    return omitted("file", source.mediaType ?? "unknown", "PDF or plain text");
  }
  return {
    type: "document",
    source: wireSource,
    ...(name === undefined || isBlank(name) ? {} : { title: name.toWellFormed() }),
  };
}

function documentSource(source: MediaPart["source"]): WireSource | undefined {
  if (source.type === "url") return { type: "url", url: source.url };
  const { mediaType, data } = source;
  if (mediaType === "application/pdf") return { type: "base64", media_type: mediaType, data };
  if (!mediaType.startsWith("text/")) return undefined;
  return { type: "text", media_type: "text/plain", data: Buffer.from(data, "base64").toString() };
}

/** Told to the model, so that it does not wonder what happened to the part. */
function omitted(what: string, mediaType: string, accepted: string): TextBlock {
  const type = mediaType.toWellFormed();
  return {
    type: "text",
    text: `[${what} of type ${type} left out: only ${accepted} can be shown]`,
  };
}

/** Citations of the model's own text: they hold what the server wants back. */
function citationsOf({ role, providerData }: MessageItem): JsonValue | undefined {
  if (role !== "assistant" || providerData?.scheme !== SCHEME_NAME) return undefined;
  const { data } = providerData;
  return isRecord(data) && data["type"] === "text" ? data["citations"] : undefined;
}
