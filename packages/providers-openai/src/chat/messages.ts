import {
  argumentsJson,
  type ByteLog,
  CONTINUE_TEXT,
  type ConversationEntry,
  type ConversationMessage,
  flaggedResultText,
  jsonList,
  type JsonValue,
  type MessagesWriter,
  ownData,
  type ReasoningItem,
  type ToolCallItem,
  type ToolResultItem,
  wireCallId,
  foreignJson,
} from "llm-worker";
import { CHAT_CALL_ID, wireToolName } from "../tools.js";
import { assistantText, mediaPart, userContent } from "./content.js";
import { REASONING_FIELDS, SCHEME_NAME } from "./wire.js";

/** What an item adds to the messages, serialised. */
type Piece =
  | { readonly kind: "user" | "text" | "call"; readonly json: string }
  /** `media` is a message of its own, after all results of the turn. */
  | { readonly kind: "result"; readonly json: string; readonly media: string | undefined }
  | { readonly kind: "reasoning"; readonly fields: ReasoningFields }
  | { readonly kind: "nothing" };

const NOTHING: Piece = { kind: "nothing" };

interface ReasoningFields {
  readonly strings: Readonly<Record<string, string>>;
  readonly details: readonly JsonValue[];
  /** Parts for Mistral's way: before the text, in the content. */
  readonly thinking: readonly string[];
}

/** What the messages depend on beside the history. */
export interface MessageOptions {
  readonly model: string;
  readonly reasoningReplay?: "same_field" | "off" | undefined;
}

/**
 * Writes the history as messages. A user's items stay messages of their own, so that what was sent
 * stays as it was when more comes; an answer of the model is one message (C12).
 */
export class MessageWriter implements MessagesWriter {
  readonly #options: MessageOptions;
  /** Of the last message that was written. */
  #lastRole: ConversationMessage["role"] | undefined;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  /** Whether there is nothing that could be sent. */
  get isEmpty(): boolean {
    return this.#lastRole === undefined;
  }

  write(messages: readonly ConversationMessage[], out: ByteLog): void {
    for (const { role, entries } of messages) {
      const pieces = entries.map((entry) => toPiece(entry, this.#options));
      const jsons = role === "assistant" ? assistantMessages(pieces) : userMessages(pieces);
      for (const json of jsons) this.#writeMessage(role, json, out);
    }
  }

  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.write(messages, out);
    // Many servers take a last message of the assistant for the beginning of the answer.
    if (this.#lastRole === "assistant") this.#writeMessage("user", userJson(CONTINUE_TEXT), out);
  }

  fork(): this {
    const fork = new MessageWriter(this.#options);
    fork.#lastRole = this.#lastRole;
    // The class has no subclasses.
    return fork as this;
  }

  #writeMessage(role: ConversationMessage["role"], json: string, out: ByteLog): void {
    out.append(this.isEmpty ? json : `,${json}`);
    this.#lastRole = role;
  }
}

function toPiece({ item, callId = "" }: ConversationEntry, options: MessageOptions): Piece {
  switch (item.type) {
    case "message": {
      if (item.role === "assistant") {
        const text = assistantText(item);
        return text.trim() === "" ? NOTHING : { kind: "text", json: JSON.stringify(text) };
      }
      const content = userContent(item);
      return content === "" ? NOTHING : { kind: "user", json: userJson(content) };
    }
    case "tool_call":
      return { kind: "call", json: callJson(item, callId, options.model) };
    case "tool_result":
      return resultPiece(item, callId);
    case "reasoning":
      return options.reasoningReplay === "off" ? NOTHING : reasoningPiece(item, options.model);
    case "opaque":
      return NOTHING;
  }
}

/** Results first, then what goes with them, then what the user says. */
function userMessages(pieces: readonly Piece[]): readonly string[] {
  const messages: string[] = [];
  const results = pieces.filter((piece) => piece.kind === "result");
  for (const { json } of results) messages.push(json);
  for (const { media } of results) if (media !== undefined) messages.push(media);
  for (const piece of pieces) if (piece.kind === "user") messages.push(piece.json);
  return messages;
}

/** One message, or none. */
function assistantMessages(pieces: readonly Piece[]): readonly string[] {
  const texts: string[] = [];
  const calls: string[] = [];
  const strings: Record<string, string> = {};
  const details: JsonValue[] = [];
  const thinking: string[] = [];
  for (const piece of pieces) {
    if (piece.kind === "text") texts.push(piece.json);
    if (piece.kind === "call") calls.push(piece.json);
    if (piece.kind !== "reasoning") continue;
    for (const [field, text] of Object.entries(piece.fields.strings)) {
      strings[field] = (strings[field] ?? "") + text;
    }
    details.push(...piece.fields.details);
    thinking.push(...piece.fields.thinking);
  }
  // Reasoning alone, as an aborted answer leaves it, is no message.
  if (texts.length === 0 && calls.length === 0) return [];
  let json = `{"role":"assistant","content":${contentJson(texts, thinking)}`;
  for (const [field, text] of Object.entries(strings)) {
    json += `,${JSON.stringify(field)}:${JSON.stringify(text)}`;
  }
  if (details.length > 0) json += `,"reasoning_details":${foreignJson(details)}`;
  if (calls.length > 0) json += `,"tool_calls":${jsonList(calls)}`;
  return [`${json}}`];
}

/** One string, as every server takes that: what is said between calls gets lines of its own. */
function contentJson(texts: readonly string[], thinking: readonly string[]): string {
  const text = texts.length === 0 ? "null" : `"${texts.map(unquoted).join("\\n")}"`;
  if (thinking.length === 0) return text;
  return jsonList(texts.length === 0 ? thinking : [...thinking, `{"type":"text","text":${text}}`]);
}

function unquoted(json: string): string {
  return json.slice(1, -1);
}

function userJson(content: unknown): string {
  return JSON.stringify({ role: "user", content });
}

function callJson(item: ToolCallItem, callId: string, model: string): string {
  const extra = ownData(item.providerData, SCHEME_NAME, model)["extra_content"];
  const id = JSON.stringify(wireCallId(callId, CHAT_CALL_ID));
  const name = JSON.stringify(wireToolName(item.name));
  const text = JSON.stringify(argumentsJson(item.arguments));
  const suffix = extra === undefined ? "" : `,"extra_content":${foreignJson(extra)}`;
  return `{"id":${id},"type":"function","function":{"name":${name},"arguments":${text}}${suffix}}`;
}

/** Results are text; images and files that go with one come in a user message after all results. */
function resultPiece(item: ToolResultItem, callId: string): Piece {
  const id = wireCallId(callId, CHAT_CALL_ID);
  const content = flaggedResultText(item);
  const json = `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(content)}}`;
  const { parts = [] } = item;
  if (parts.length === 0) return { kind: "result", json, media: undefined };
  const intro = { type: "text", text: `[belongs to the result of call ${id}]` };
  return { kind: "result", json, media: userJson([intro, ...parts.map(mediaPart)]) };
}

/** Reasoning goes back to the model that it came from, in the field in which it came (C8). */
function reasoningPiece(item: ReasoningItem, model: string): Piece {
  const { field, details } = ownData(item.providerData, SCHEME_NAME, model);
  const text = item.text.toWellFormed();
  const none = { strings: {}, details: [], thinking: [] };
  if (Array.isArray(details)) return { kind: "reasoning", fields: { ...none, details } };
  if (text === "") return NOTHING;
  const own = REASONING_FIELDS.find((name) => name === field);
  if (own !== undefined)
    return { kind: "reasoning", fields: { ...none, strings: { [own]: text } } };
  if (field !== "content") return NOTHING;
  const part = JSON.stringify({ type: "thinking", thinking: [{ type: "text", text }] });
  return { kind: "reasoning", fields: { ...none, thinking: [part] } };
}
