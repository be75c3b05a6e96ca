const MAGIC: readonly (readonly [mediaType: string, start: string, offset?: number])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "WEBP", 8],
  ["application/pdf", "%PDF-"],
  ["application/zip", "PK\x03\x04"],
  ["application/zip", "PK\x05\x06"],
  ["application/gzip", "\x1f\x8b\x08"],
];

/** The media type that the first bytes tell; `undefined` if they tell none. */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return MAGIC.find(([, magic, offset = 0]) => start.startsWith(magic, offset))?.[0];
}
