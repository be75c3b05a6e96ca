/** Media types that stand for what was found in the bytes. */
export const TEXT_MEDIA_TYPE = "text/plain; charset=utf-8";
export const UNKNOWN_TEXT_MEDIA_TYPE = "text/plain; charset=unknown-8bit";
export const JSON_MEDIA_TYPE = "application/json";
export const BINARY_MEDIA_TYPE = "application/octet-stream";

/** Whether a media type says that the bytes can be read by lines. */
export function isTextMediaType(mediaType: string | undefined): mediaType is string {
  return mediaType !== undefined && /^\s*text\//i.test(mediaType);
}

/** Whether a media type says that the bytes are one JSON value. */
export function isJsonMediaType(mediaType: string | undefined): mediaType is string {
  return (
    mediaType !== undefined && /^\s*(application|text)\/([^;\s]+\+)?json\s*(;|$)/i.test(mediaType)
  );
}
