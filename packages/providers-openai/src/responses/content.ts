import type { ContentPart, FilePart, MessageItem, ToolResultItem } from "llm-worker";
import { flaggedResultText } from "llm-worker";
import { dataUrl, IMAGE_REASON, imageUrl, omittedPart, textOfFile } from "../media.js";
import type { InputPart } from "./wire.js";

/** File types that are sent as files; text is sent as text. Source: docs "File inputs". */
const FILE_TYPES = /^application\/(pdf|msword|rtf|vnd\.(ms-|openxmlformats|oasis))/;

/** The parts of a user message. Empty text is left out. */
export function userParts({ content }: MessageItem): readonly InputPart[] {
  return content.map(inputPart).filter(isSomething);
}

/** The output of a call: its text as a string, or a list where images or files go with it. */
export function callOutput(item: ToolResultItem): string | readonly InputPart[] {
  const text = flaggedResultText(item);
  const { parts = [] } = item;
  if (parts.length === 0) return text;
  return [textPart(text), ...parts.map(inputPart)].filter(isSomething);
}

/** What is told of a part of an assistant message that has no place in it. */
export function assistantPartText(part: ContentPart): string {
  return part.type === "text"
    ? part.text.toWellFormed()
    : `[an ${part.type} that the assistant made is not shown here]`;
}

function inputPart(part: ContentPart): InputPart {
  if (part.type === "text") return textPart(part.text);
  if (part.type === "file") return filePart(part);
  const url = imageUrl(part);
  return url === undefined
    ? textPart(omittedPart(part, IMAGE_REASON))
    : { type: "input_image", image_url: url, detail: "auto" };
}

function filePart(part: FilePart): InputPart {
  const { source, name = "file" } = part;
  const text = textOfFile(part);
  if (text !== undefined) return textPart(text);
  if (source.type === "url") return { type: "input_file", file_url: source.url.toWellFormed() };
  if (!FILE_TYPES.test(source.mediaType)) {
    return textPart(omittedPart(part, "only PDF, text and office files can be shown"));
  }
  return { type: "input_file", filename: name.toWellFormed(), file_data: dataUrl(source) };
}

function textPart(text: string): InputPart {
  return { type: "input_text", text: text.toWellFormed() };
}

function isSomething(part: InputPart): boolean {
  return part.type !== "input_text" || part.text !== "";
}
