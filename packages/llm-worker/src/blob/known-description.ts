import type { Content, StructuredContent } from "./content.js";
import type { BlobDescription } from "./index-codec.js";

interface Known {
  readonly raw: string;
  readonly description: BlobDescription;
}

const descriptions = new WeakMap<StructuredContent, Known>();

/** Keeps what a `BlobIndexBuilder` has said of the bytes of `content`, for as long as that lives. */
export function keepDescription(content: StructuredContent, description: BlobDescription): void {
  descriptions.set(content, { raw: content.raw, description });
}

/**
 * What a `BlobIndexBuilder` says of the bytes of `content`, if that is known from its summary: a store
 * need not scan them again. `undefined` where they have to be scanned.
 */
export function knownDescription(content: Content): BlobDescription | undefined {
  if (content.type !== "structured") return undefined;
  const known = descriptions.get(content);
  return known?.raw === content.raw ? known.description : undefined;
}
