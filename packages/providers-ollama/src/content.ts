import {
  type ContentPart,
  flaggedResultText,
  type MediaPart,
  type MessageItem,
  type ToolResultItem,
} from "llm-worker";
import { IMAGE_TYPES } from "./wire.js";

/** What a message of this wire can hold: one text, and images as base64 data. */
export interface WireContent {
  readonly text: string;
  readonly images: readonly string[];
}

/** Texts that were apart stay apart; the server joins messages in the same way. */
export const TEXT_SEPARATOR = "\n\n";

/** The content of a message. Blank text is left out. */
export function messageContent({ role, content }: MessageItem): WireContent {
  return toContent(role === "assistant" ? content.map(withoutMedia) : content);
}

/** The content of a tool's result. The wire has no error flag, so an error is said in words. */
export function resultContent(item: ToolResultItem): WireContent {
  return toContent([{ type: "text", text: flaggedResultText(item) }, ...(item.parts ?? [])]);
}

/** Whether a text is nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

function toContent(parts: readonly ContentPart[]): WireContent {
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of parts) {
    if (part.type === "image" && isSendable(part)) images.push(part.source.data);
    else texts.push(part.type === "text" ? part.text : mediaText(part));
  }
  const said = texts.filter((text) => !isBlank(text));
  return { text: said.join(TEXT_SEPARATOR).toWellFormed(), images };
}

type SendableImage = MediaPart & { readonly source: { readonly type: "base64" } };

function isSendable(part: MediaPart): part is SendableImage {
  return part.source.type === "base64" && IMAGE_TYPES.has(part.source.mediaType);
}

/** Models do not make images here: those of a history come from elsewhere. */
function withoutMedia(part: ContentPart): ContentPart {
  if (part.type === "text") return part;
  return { type: "text", text: `[an ${part.type} that the assistant made is not shown here]` };
}

/** A text file is shown as text; whatever else there is no field for is named to the model. */
function mediaText(part: MediaPart): string {
  const { source } = part;
  if (source.type === "url") return omitted(part.type, "given as an address");
  if (part.type === "image") return omitted("image", `of type ${source.mediaType}`);
  if (!source.mediaType.startsWith("text/")) return omitted("file", `of type ${source.mediaType}`);
  const text = Buffer.from(source.data, "base64").toString();
  return part.name === undefined ? text : `[file ${part.name}]\n${text}`;
}

function omitted(what: string, which: string): string {
  return `[${what} ${which} left out: only text and images given as JPEG, PNG or WebP data can be shown]`;
}
