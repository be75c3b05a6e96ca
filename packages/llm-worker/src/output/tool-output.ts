import { isAnyArrayBuffer, isArrayBuffer, isUint8Array } from "node:util/types";
import { type Content, structuredContent } from "../blob/content.js";
import { errorMessage, isError } from "../errors.js";
import { fitsBytes } from "./cut.js";
import { type Described, describeBytes, describeText, isPlainText, decode } from "./describe.js";
import { leanLimits, type OutputLimits } from "./output-limits.js";
import { summarize } from "./summary.js";

/** What a tool's result becomes: text in the history, or a summary there and the whole in a store. */
export type ToolOutput = InlineOutput | StoredOutput;

/** Text that is in the history as it is. */
export interface InlineOutput {
  readonly kind: "inline";
  readonly text: string;
}

/** Content for the store, and what the history says of it. */
export interface StoredOutput {
  readonly kind: "stored";
  readonly summary: string;
  readonly content: Content;
}

/** How to make a {@link ToolOutput}; the type of the same name says what it is. */
export interface ToolOutputFactory {
  /**
   * What a value becomes under the limits (default {@link leanLimits}): `inline` up to
   * `inlineMaxBytes`, else `stored` with a summary. Never throws.
   *
   * - A string that parses as a JSON array or object becomes structured content with that very text;
   *   any other is text. Lone surrogates are replaced by U+FFFD, as everywhere.
   * - Arrays and objects are written as JSON, bigints as their digits. `undefined` is no text.
   *   What cannot be written as JSON, a `Map` for instance, becomes a text that says so.
   * - Bytes that are valid UTF-8 without NUL are text; others are stored whatever their size, with
   *   the media type that their first bytes tell. Of a detached `ArrayBuffer` a text says so.
   * - An `Error` is its message. A `ToolOutput` is returned, well-formed.
   */
  from(value: unknown, limits?: Partial<OutputLimits>): ToolOutput;
  /** Text that stays in the history, whatever its size. */
  inline(text: string): InlineOutput;
  /** Content that goes to the store, whatever its size, with the tool's own summary of it. */
  stored(summary: string, content: Content): StoredOutput;
}

/** Makes a {@link ToolOutput}: see {@link ToolOutputFactory}. */
export const ToolOutput: ToolOutputFactory = {
  from(value, limits = {}) {
    if (isToolOutput(value)) return wellFormedOutput(value);
    const effective = { ...leanLimits, ...limits };
    const promoted = promote(value, effective);
    if (promoted.kind === "inline") return promoted;
    const { content, overview } = promoted.described;
    return { kind: "stored", summary: summarize(overview, effective), content };
  },
  inline(text) {
    return { kind: "inline", text: wellFormed(text) };
  },
  stored(summary, content) {
    return {
      kind: "stored",
      summary: wellFormed(summary),
      content: wellFormedContent(content),
    };
  },
};

/** Whether a value is an explicit {@link ToolOutput}. Never throws. */
export function isToolOutput(value: unknown): value is ToolOutput {
  try {
    return hasToolOutputShape(value);
  } catch {
    // A getter or a proxy that throws is none of ours.
    return false;
  }
}

function hasToolOutputShape(value: unknown): value is ToolOutput {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  if (value.kind === "inline") return "text" in value && typeof value.text === "string";
  return (
    value.kind === "stored" &&
    "summary" in value &&
    typeof value.summary === "string" &&
    "content" in value &&
    isContent(value.content)
  );
}

/** Whether a value has the shape of {@link Content}. */
export function isContent(value: unknown): value is Content {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  switch (value.type) {
    case "text":
      return "text" in value && typeof value.text === "string";
    case "structured":
      return "raw" in value && typeof value.raw === "string";
    case "binary":
      return (
        "bytes" in value &&
        isUint8Array(value.bytes) &&
        "mediaType" in value &&
        typeof value.mediaType === "string"
      );
    default:
      return false;
  }
}

/** A value that stays inline, or one that is over the threshold, described for its summary. */
export type Promoted = InlineOutput | { readonly kind: "stored"; readonly described: Described };

/** What {@link ToolOutput} `from` does with a value that is no `ToolOutput`, without the summary. */
export function promote(
  value: unknown,
  limits: Pick<OutputLimits, "inlineMaxBytes" | "summaryMaxBytes">,
): Promoted {
  const { inlineMaxBytes, summaryMaxBytes } = limits;
  const bytes = bytesOf(value);
  if (bytes !== undefined) {
    if (bytes.length <= inlineMaxBytes && isPlainText(bytes)) {
      return { kind: "inline", text: decode(bytes) };
    }
    return { kind: "stored", described: describeBytes(bytes, summaryMaxBytes) };
  }
  const text = textOf(value);
  if (fitsBytes(text, inlineMaxBytes)) return { kind: "inline", text };
  return { kind: "stored", described: describeText(text, summaryMaxBytes) };
}

/** The one rule for half characters: a lone surrogate becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Content whose text is well-formed, and whose bytes are there. */
export function wellFormedContent(content: Content): Content {
  if (content.type === "binary" && isDetached(content.bytes)) {
    return { type: "text", text: DETACHED_TEXT };
  }
  if (content.type === "text" && !content.text.isWellFormed()) {
    return { type: "text", text: content.text.toWellFormed() };
  }
  if (content.type === "structured" && !content.raw.isWellFormed()) {
    return structuredContent(content.raw.toWellFormed());
  }
  return content;
}

/** The content that a tool has named as such: content as it is, or what a value becomes. */
export function contentOf(content: unknown): Content {
  return isContent(content) ? wellFormedContent(content) : contentOfValue(content);
}

/** The content that a value becomes, whatever its size. */
export function contentOfValue(value: unknown): Content {
  const bytes = bytesOf(value);
  // The samples are not needed here.
  return (bytes === undefined ? describeText(textOf(value), 0) : describeBytes(bytes, 0)).content;
}

/** The bytes of a `Uint8Array`, `ArrayBuffer` or other view; `undefined` for anything else, or if they are gone. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (isDetached(value)) return undefined;
  if (value instanceof Uint8Array) return value;
  if (isAnyArrayBuffer(value)) return new Uint8Array(value);
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : undefined;
}

/** Whether a value had bytes that were transferred elsewhere, to a worker thread for instance. */
export function isDetached(value: unknown): boolean {
  const buffer = ArrayBuffer.isView(value) ? value.buffer : value;
  if (!isArrayBuffer(buffer) || buffer.byteLength > 0) return false;
  try {
    return new Uint8Array(buffer).length > 0;
  } catch {
    return true;
  }
}

const DETACHED_TEXT = "[the bytes of a detached ArrayBuffer are gone: return a copy]";

/** The text of a value that is not bytes, well-formed. Never throws. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return wellFormed(value);
  if (value === undefined) return "";
  if (isError(value)) return wellFormed(errorMessage(value));
  if (isDetached(value)) return DETACHED_TEXT;
  if (typeof value === "function" || typeof value === "symbol") {
    return `[a ${typeof value} cannot be written as text]`;
  }
  if (typeof value === "object" && value !== null) return jsonOf(value);
  return String(value as number | bigint | boolean | null); // all other types are dealt with above
}

function jsonOf(value: object): string {
  try {
    const json = stringify(value) ?? "";
    if (json === "{}" && hidesWhatItHolds(value)) {
      return `[a ${nameOf(value)} cannot be written as JSON]`;
    }
    // A value such as a Date is written as a JSON string: its text is meant, not its quotes.
    return json.startsWith('"') ? wellFormed(JSON.parse(json) as string) : json;
  } catch (error) {
    return wellFormed(`[cannot be written as JSON: ${errorMessage(error)}]`);
  }
}

/** Whether `{}` is not all there is: a `Map`, a `Response`, a stream that is a part of a result. */
function hidesWhatItHolds(value: object): boolean {
  return nameOf(value) !== "Object" && !("toJSON" in value);
}

function nameOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const { constructor } = value as { readonly constructor?: unknown };
  return tag === "Object" && typeof constructor === "function" ? constructor.name : tag;
}

/** `JSON.stringify` with bigints as their digits; the replacer costs only those who need it. */
function stringify(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, part: unknown) =>
      typeof part === "bigint" ? part.toString() : part,
    );
  }
}

function wellFormedOutput(output: ToolOutput): ToolOutput {
  if (output.kind === "inline") return ToolOutput.inline(output.text);
  return ToolOutput.stored(output.summary, output.content);
}
