import type { BlobId, BlobKind } from "../blob/blob-store.js";
import type { JsonValue } from "../blob/content.js";

/**
 * A unit of history. Plain JSON: `JSON.parse(JSON.stringify(item))` is the same item.
 * Never changed after it has entered a history; a new object replaces it.
 */
export type Item = MessageItem | ToolCallItem | ToolResultItem | ReasoningItem | OpaqueItem;

/** What the user or the model said. */
export interface MessageItem {
  readonly type: "message";
  readonly role: "user" | "assistant";
  readonly content: readonly ContentPart[];
  readonly providerData?: ProviderData | undefined;
}

/** A call that the model made. Has exactly one `tool_result` of the same `callId` after it. */
export interface ToolCallItem {
  readonly type: "tool_call";
  readonly callId: string;
  readonly name: string;
  /** The raw JSON text exactly as the model wrote it; `""` and `"{}"` both mean no arguments. */
  readonly arguments: string;
  /** Where that text is, once a prune has put references to it in the place of long values. */
  readonly blob?: BlobRef | undefined;
  readonly providerData?: ProviderData | undefined;
}

/**
 * Sent to the model as `summary` alone, or, while `content` is present, as
 * `summary + "\n" + content`. `parts` are images or files that go with it natively.
 */
export interface ToolResultItem {
  readonly type: "tool_result";
  readonly callId: string;
  readonly summary: string;
  readonly content?: string | undefined;
  readonly parts?: readonly MediaPart[] | undefined;
  readonly blob?: BlobRef | undefined;
  /** Where the whole of it is, with the policy `offloadToFile`. */
  readonly files?: readonly FileRef[] | undefined;
  readonly isError?: boolean | undefined;
}

/** What the model thought. `providerData` holds what the provider needs back unchanged. */
export interface ReasoningItem {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerData?: ProviderData | undefined;
}

/**
 * Something that only its provider understands (a server-side tool's call or result, a block kind
 * that is newer than this code): kept in its place and replayed unchanged, never shown or executed.
 */
export interface OpaqueItem {
  readonly type: "opaque";
  readonly providerData: ProviderData;
}

/** What one provider needs back unchanged, labelled with where it came from. */
export interface ProviderData {
  /** Name of the scheme that produced it, such as `anthropic`. */
  readonly scheme: string;
  readonly model: string;
  readonly data: JsonValue;
}

/** Names a stored blob and says what it is. */
export interface BlobRef {
  readonly id: BlobId;
  readonly kind: BlobKind;
  readonly byteCount: number;
  /** Lines, entries or keys, by `kind`; absent for others. */
  readonly count?: number | undefined;
}

/** Names a file that an output was written to and says how large it is. */
export interface FileRef {
  readonly path: string;
  readonly byteCount: number;
  /** Lines as an editor shows them. */
  readonly lineCount: number;
}

/** A part of a message. */
export type ContentPart = TextPart | MediaPart;
/** A part that is no text. */
export type MediaPart = ImagePart | FilePart;

/** Text of a message. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** The model declined to answer and this is what it said instead. */
  readonly isRefusal?: boolean | undefined;
}

/** An image, for models that look at them. */
export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
}

/** A document, for models that read them. */
export interface FilePart {
  readonly type: "file";
  readonly source: MediaSource;
  readonly name?: string | undefined;
}

/** Where the bytes of an image or a file are: here, in base64, or at an address. */
export type MediaSource =
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string; readonly mediaType?: string | undefined };

/** Makes a user message of one text. */
export function userMessage(text: string): MessageItem {
  return { type: "message", role: "user", content: [{ type: "text", text }] };
}

/** The text that the model gets for a tool result. */
export function toolResultText(item: ToolResultItem): string {
  return item.content === undefined ? item.summary : `${item.summary}\n${item.content}`;
}

/** All text of a message, concatenated. */
export function messageText(item: MessageItem): string {
  let text = "";
  for (const part of item.content) if (part.type === "text") text += part.text;
  return text;
}
