import type { FilePart, MediaPart, MessageItem } from "llm-worker";
import { dataUrl, IMAGE_REASON, imageUrl, omittedPart, textOfFile } from "../media.js";
import type { ChatContentPart } from "./wire.js";

const AUDIO_FORMATS: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** The content of a user message: a string where it is text alone, as every server takes that. */
export function userContent({ content }: MessageItem): string | readonly ChatContentPart[] {
  const parts = content.map((part) =>
    part.type === "text" ? textPart(part.text) : mediaPart(part),
  );
  const shown = parts.filter((part) => part.type !== "text" || part.text !== "");
  const [only] = shown;
  if (shown.length === 0) return "";
  return shown.length === 1 && only?.type === "text" ? only.text : shown;
}

/** What an assistant message says. Media have no place in it, so the model is told of them. */
export function assistantText({ content }: MessageItem): string {
  return content
    .map((part) =>
      part.type === "text"
        ? part.text.toWellFormed()
        : `[an ${part.type} that the assistant made is not shown here]`,
    )
    .join("");
}

/** An image or a file. */
export function mediaPart(part: MediaPart): ChatContentPart {
  if (part.type === "file") return filePart(part);
  const url = imageUrl(part);
  return url === undefined
    ? textPart(omittedPart(part, IMAGE_REASON))
    : { type: "image_url", image_url: { url } };
}

function filePart(part: FilePart): ChatContentPart {
  const { source, name = "file" } = part;
  const text = textOfFile(part);
  if (text !== undefined) return textPart(text);
  if (source.type === "url") {
    return textPart(omittedPart(part, "this API takes no address of a file"));
  }
  const format = AUDIO_FORMATS[source.mediaType];
  if (format !== undefined) {
    return { type: "input_audio", input_audio: { data: source.data, format } };
  }
  if (source.mediaType !== "application/pdf") {
    return textPart(omittedPart(part, "only PDF, text, WAV and MP3 files can be shown"));
  }
  return { type: "file", file: { filename: name.toWellFormed(), file_data: dataUrl(source) } };
}

function textPart(text: string): ChatContentPart {
  return { type: "text", text: text.toWellFormed() };
}
