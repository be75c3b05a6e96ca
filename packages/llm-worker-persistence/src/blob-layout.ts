import type { BlobId, BlobIndex, BlobStat } from "llm-worker/blob";
import { isBlobId } from "./blob-id.js";

/**
 * How the parts of a blob are named, in a directory or under a key prefix: one payload,
 * byte-exact, and beside it a sidecar where there is more to know than the payload tells.
 */
export const PAYLOAD_EXTENSIONS = [".txt", ".json", ".bin"] as const;
export type PayloadExtension = (typeof PAYLOAD_EXTENSIONS)[number];

/** Ends the name of a sidecar, which holds the stat and index of a blob. */
export const SIDECAR_EXTENSION = ".index" as const;

/** From this size on, a blob's stat is kept in a sidecar: a scan of less costs no more than the read. */
export const MIN_SIDECAR_PAYLOAD_BYTES: number = 256 * 1024;

const DEFAULT_MEDIA_TYPE: Readonly<Record<PayloadExtension, string>> = {
  ".txt": "text/plain; charset=utf-8",
  ".json": "application/json",
  ".bin": "application/octet-stream",
};

/** What a payload is read as when nothing but its name is known. */
export const KIND_OF_EXTENSION: Readonly<
  Record<PayloadExtension, "text" | "structured" | "binary">
> = { ".txt": "text", ".json": "structured", ".bin": "binary" };

/** The extension under which a payload of this kind is kept. */
export function payloadExtension(stat: BlobStat): PayloadExtension {
  switch (stat.kind) {
    case "text":
      return ".txt";
    case "json_array":
    case "json_object":
    case "json_value":
      return ".json";
    case "binary":
      return ".bin";
  }
}

/** Whether the payload and its name alone cannot cheaply tell what `stat` and `index` say. */
export function needsSidecar(stat: BlobStat, index: BlobIndex | undefined): boolean {
  if (index !== undefined || stat.validUtf8 === false) return true;
  if (stat.mediaType !== DEFAULT_MEDIA_TYPE[payloadExtension(stat)]) return true;
  return stat.kind !== "binary" && stat.byteCount >= MIN_SIDECAR_PAYLOAD_BYTES;
}

/** The stat of a binary payload without a sidecar. */
export function plainBinaryStat(byteCount: number): BlobStat {
  return { kind: "binary", byteCount, mediaType: DEFAULT_MEDIA_TYPE[".bin"] };
}

/** The same for a text of which nothing has been counted. */
export function plainTextStat(byteCount: number): BlobStat {
  return { kind: "text", byteCount, mediaType: DEFAULT_MEDIA_TYPE[".txt"] };
}

/** What a file name or key says, or `undefined` if no store has made it. */
export function parseBlobFileName(
  name: string,
):
  | { readonly id: BlobId; readonly extension: PayloadExtension | typeof SIDECAR_EXTENSION }
  | undefined {
  const dot = name.indexOf(".");
  const id = name.slice(0, dot);
  const extension = [...PAYLOAD_EXTENSIONS, SIDECAR_EXTENSION].find(
    (known) => known === name.slice(dot),
  );
  return extension !== undefined && isBlobId(id) ? { id, extension } : undefined;
}
