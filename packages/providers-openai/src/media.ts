import type { FilePart, ImagePart, MediaSource } from "llm-worker";

/** Image types that both APIs take. Source: the error that other types get. */
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
]);

/** The address of an image, as a URL or as a data URL; nothing if the API does not take its type. */
export function imageUrl({ source }: ImagePart): string | undefined {
  if (source.type === "url") return source.url.toWellFormed();
  return IMAGE_TYPES.has(source.mediaType) ? dataUrl(source) : undefined;
}

/** Base64 data as a data URL. */
export function dataUrl({ mediaType, data }: MediaSource & { type: "base64" }): string {
  return `data:${mediaType};base64,${data}`.toWellFormed();
}

/** The text of a file that is text; the APIs take that as text in all its types. */
export function textOfFile({ source, name }: FilePart): string | undefined {
  if (source.type === "url" || !isTextType(source.mediaType)) return undefined;
  const text = Buffer.from(source.data, "base64").toString();
  return `${name === undefined ? "[file]" : `[file ${name.toWellFormed()}]`}\n${text}`;
}

/** Told to the model, so that it does not wonder what happened to a part. */
export function omittedPart(part: ImagePart | FilePart, reason: string): string {
  const type = part.source.mediaType?.toWellFormed() ?? "unknown type";
  return `[${part.type} of ${type} left out: ${reason}]`;
}

/** Why an image is left out. */
export const IMAGE_REASON = "only GIF, JPEG, PNG and WebP images can be shown";

function isTextType(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|javascript)\b|\+(json|xml)$/.test(mediaType);
}
