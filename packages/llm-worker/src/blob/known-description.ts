import type { Content, StructuredContent, TextContent } from "./content.js";
import type { BlobDescription } from "./index-codec.js";

interface Known {
  readonly text: string;
  readonly description: BlobDescription;
}

const descriptions = new WeakMap<Content, Known>();

/**
 * Keeps what a `BlobIndexBuilder` has said of the bytes of `content`, for as long as that lives: what
 * its summary or a store has found out, the other need not scan for.
 */
export function keepDescription(
  content: TextContent | StructuredContent,
  description: BlobDescription,
): void {
  descriptions.set(content, { text: textOf(content), description });
}

/**
 * What a `BlobIndexBuilder` says of the bytes of `content`, if {@link keepDescription} was told.
 * `undefined` where they have to be scanned.
 */
export function knownDescription(content: Content): BlobDescription | undefined {
  if (content.type === "binary") return undefined;
  const known = descriptions.get(content);
  return known !== undefined && known.text === textOf(content) ? known.description : undefined;
}

function textOf(content: TextContent | StructuredContent): string {
  return content.type === "text" ? content.text : content.raw;
}
