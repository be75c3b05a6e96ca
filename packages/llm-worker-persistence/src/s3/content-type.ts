import type { PayloadExtension } from "../blob-layout.js";

const DEFAULT_CONTENT_TYPE: Readonly<Record<PayloadExtension, string>> = {
  ".txt": "text/plain; charset=utf-8",
  ".json": "application/json",
  ".bin": "application/octet-stream",
};

/** The `Content-Type` of a payload: its media type, if that may stand in a header. */
export function contentTypeHeader(extension: PayloadExtension, mediaType?: string): string {
  return mediaType !== undefined && /^[!-~][ -~]{0,199}$/.test(mediaType)
    ? mediaType
    : DEFAULT_CONTENT_TYPE[extension];
}
