import type { ContentPart, MediaPart } from "../model/item.js";
import { isToolOutput, type ToolOutput } from "./tool-output.js";

/** What a tool's return value is taken for. */
export type ToolResult =
  | { readonly type: "stream"; readonly stream: AsyncIterable<unknown> }
  | { readonly type: "output"; readonly output: ToolOutput }
  /** The tool's own summary, with the content that it is about, if it has any. */
  | { readonly type: "summarized"; readonly summary: string; readonly content: unknown }
  /** Text and images or files; the media are never read as text. */
  | { readonly type: "parts"; readonly text: string; readonly media: readonly MediaPart[] }
  | { readonly type: "value"; readonly value: unknown };

/**
 * Tells what a tool has returned:
 *
 * - an async iterable is a stream;
 * - an object with `summary` (a string), perhaps `content`, and nothing else is the tool's own
 *   summary;
 * - an image or file part, or an array of text, image and file parts with at least one image or
 *   file, is media with text (the text parts, joined by newlines);
 * - anything else is a value: text, bytes, JSON; so is what throws when it is looked at.
 */
export function readToolResult(value: unknown): ToolResult {
  try {
    return read(value);
  } catch {
    return { type: "value", value };
  }
}

function read(value: unknown): ToolResult {
  if (isToolOutput(value)) return { type: "output", output: value };
  if (isAsyncIterable(value)) return { type: "stream", stream: value };
  if (isSummarized(value)) {
    return { type: "summarized", summary: value.summary, content: value.content };
  }
  const parts = isMediaPart(value) ? [value] : value;
  if (isMixedParts(parts)) {
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { type: "parts", text, media: parts.filter(isMediaPart) };
  }
  return { type: "value", value };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof value[Symbol.asyncIterator] === "function"
  );
}

function isSummarized(
  value: unknown,
): value is { readonly summary: string; readonly content?: unknown } {
  if (!isRecord(value) || typeof value["summary"] !== "string") return false;
  return Object.keys(value).every((key) => key === "summary" || key === "content");
}

function isMixedParts(value: unknown): value is readonly ContentPart[] {
  return (
    Array.isArray(value) &&
    value.some(isMediaPart) &&
    value.every((part) => isMediaPart(part) || isTextPart(part))
  );
}

function isTextPart(value: unknown): boolean {
  return isRecord(value) && value["type"] === "text" && typeof value["text"] === "string";
}

function isMediaPart(value: unknown): value is MediaPart {
  if (!isRecord(value) || (value["type"] !== "image" && value["type"] !== "file")) return false;
  const source = value["source"];
  if (!isRecord(source)) return false;
  if (source["type"] === "url") return typeof source["url"] === "string";
  return (
    source["type"] === "base64" &&
    typeof source["mediaType"] === "string" &&
    typeof source["data"] === "string"
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
