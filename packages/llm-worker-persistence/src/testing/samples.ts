import type { BinaryContent, StructuredContent, TextContent } from "llm-worker/blob";
import { structuredContent } from "llm-worker/blob";

/** Makes text content. */
export function text(value: string): TextContent {
  return { type: "text", text: value };
}

/** Makes structured content of JSON text. */
export function json(raw: string): StructuredContent {
  return structuredContent(raw);
}

/** Makes binary content. */
export function binary(
  bytes: Uint8Array,
  mediaType: string = "application/octet-stream",
): BinaryContent {
  return { type: "binary", bytes, mediaType };
}

/** Each of the 256 byte values, in a row, `times` times. */
export function allByteValues(times: number = 1): Uint8Array {
  return Uint8Array.from({ length: 256 * times }, (_, position) => position % 256);
}

/** About 1.3 MB in 30,000 lines of several scripts: large enough for any store to index it. */
export function largeText(): string {
  return Array.from(
    { length: 30_000 },
    (_, line) => `${line}: naïve 漢字 😀 ${"·".repeat(line % 20)}\n`,
  ).join("");
}

/** About 1.1 MB in one line: an array of 20,000 small objects, spaced as no serializer would. */
export function largeArray(): string {
  const elements = Array.from(
    { length: 20_000 },
    (_, id) => `{"id" :${id},"name": "漢\\u006b${id}", "n":1e2}`,
  );
  return `[ ${elements.join(" ,")}]`;
}
