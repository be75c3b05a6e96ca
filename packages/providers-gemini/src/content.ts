import {
  type ContentPart,
  type MediaPart,
  type MessageItem,
  type ToolResultItem,
  toolResultText,
} from "llm-worker";
import type { FunctionResponse, MediaData, TextPart } from "./wire.js";

/** Types that models read. Source: docs "Image understanding", "Document understanding" and so on. */
const READABLE_TYPE =
  /^(image\/(png|jpeg|webp|heic|heif)|audio\/.+|video\/.+|application\/pdf|text\/.+)$/;
/** Text under another name: sent as plain text. */
const TEXT_LIKE_TYPE = /^application\/(.+\+)?(json|xml)$/;
/** Types that a function response may hold. Source: docs "Multimodal function responses". */
const RESPONSE_TYPE = /^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/;

/** The parts of a message. Blank text is left out: the server refuses an empty part (G15). */
export function messageParts({ role, content }: MessageItem): readonly (TextPart | MediaData)[] {
  return role === "assistant" ? content.flatMap(assistantPart) : content.flatMap(userParts);
}

/** A tool's result: the response itself, and what goes into the user's next content. */
export interface ResultParts {
  readonly response: FunctionResponse["response"];
  readonly parts: readonly MediaData[];
  readonly besides: readonly (TextPart | MediaData)[];
}

/**
 * The result is always one string: an object with a key such as `$ref` has a meaning of its own here.
 *
 * @param mediaPlace where images and files go; models before Gemini 3 take none inside a response
 */
export function resultParts(
  item: ToolResultItem,
  toolName: string,
  mediaPlace: "inside" | "besides",
): ResultParts {
  const text = toolResultText(item).toWellFormed();
  const media = item.parts ?? [];
  const inside = mediaPlace === "inside" ? media.filter(fitsIntoResponse) : [];
  const besides = media.filter((part) => !inside.includes(part));
  return {
    response: item.isError === true ? { error: text } : { output: text },
    parts: inside.flatMap(mediaParts).filter((part) => "inlineData" in part),
    besides:
      besides.length === 0
        ? []
        : [{ text: `[shown by the tool ${toolName}]` }, ...besides.flatMap(mediaParts)],
  };
}

/** Whether a text is nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

function userParts(part: ContentPart): readonly (TextPart | MediaData)[] {
  return part.type === "text" ? textParts(part.text) : mediaParts(part);
}

function assistantPart(part: ContentPart): readonly TextPart[] {
  if (part.type === "text") return textParts(part.text);
  return [{ text: `[an ${part.type} that the assistant made is not shown here]` }];
}

function textParts(text: string): readonly TextPart[] {
  return isBlank(text) ? [] : [{ text: text.toWellFormed() }];
}

/** A file has no name on this wire, so it is told before it. */
function mediaParts(part: MediaPart): readonly (TextPart | MediaData)[] {
  const name = part.type === "file" ? (part.name ?? "") : "";
  return [...(isBlank(name) ? [] : textParts(`[file ${name}]`)), mediaPart(part)];
}

function mediaPart({ type, source }: MediaPart): TextPart | MediaData {
  if (source.type === "url") {
    const mimeType = source.mediaType === undefined ? {} : { mimeType: typeOf(source.mediaType) };
    return { fileData: { fileUri: source.url, ...mimeType } };
  }
  const mimeType = typeOf(source.mediaType);
  if (READABLE_TYPE.test(mimeType)) return { inlineData: { mimeType, data: source.data } };
  if (TEXT_LIKE_TYPE.test(mimeType)) {
    return { inlineData: { mimeType: "text/plain", data: source.data } };
  }
  // Told to the model, so that it does not wonder what happened to the part.
  const text = `[${type} of type ${mimeType.toWellFormed()} left out: only images (PNG, JPEG, WebP, HEIC), audio, video, PDF and text can be shown]`;
  return { text };
}

function fitsIntoResponse({ source }: MediaPart): boolean {
  return source.type === "base64" && RESPONSE_TYPE.test(typeOf(source.mediaType));
}

/** The type without its parameters, which the server does not know. */
function typeOf(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
