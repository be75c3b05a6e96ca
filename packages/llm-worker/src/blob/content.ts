/** Any value that JSON can say. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * What a blob holds.
 *
 * - `text`: a well-formed string (lone surrogates are replaced by U+FFFD before storing).
 * - `structured`: JSON. `raw` is the JSON text as the tool produced it, so numbers beyond 2^53,
 *   duplicate keys and key order survive the store; `value` is what `JSON.parse` makes of it
 *   (a store may compute it on first access).
 * - `binary`: bytes as they are. A media type that begins with `text/` marks text that is not
 *   valid UTF-8: it can be read by lines, and its bytes stay exact.
 */
export type Content = TextContent | StructuredContent | BinaryContent;

/** Content that is a string. */
export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

/** Content that is JSON. */
export interface StructuredContent {
  readonly type: "structured";
  readonly value: unknown;
  readonly raw: string;
}

/** Content that is bytes. */
export interface BinaryContent {
  readonly type: "binary";
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** Makes `structured` content whose `value` is parsed from `raw` when first asked for. */
export function structuredContent(raw: string): StructuredContent {
  let parsed: { readonly value: unknown } | undefined;
  return {
    type: "structured",
    raw,
    get value(): unknown {
      parsed ??= { value: JSON.parse(raw) as unknown };
      return parsed.value;
    },
  };
}
