import {
  argumentsJson,
  type ConversationEntry,
  isRecord,
  type JsonValue,
  type MessageItem,
  ownData,
  parseJson,
  type ProviderData,
  type ReasoningItem,
  stringOf,
  type ToolCallItem,
  foreignJson,
  wellFormedJson,
  wireCallId,
  type WireRecord,
} from "llm-worker";
import { RESPONSES_CALL_ID, wireToolName } from "../tools.js";
import { assistantPartText, callOutput, userParts } from "./content.js";
import { ID_PREFIXES, INPUT_FIELDS, MAX_ITEM_ID_CHARS, SCHEME_NAME } from "./wire.js";

/** What an item of the history is on this wire, before it is known which ids can be said. */
export type Unit =
  | { readonly kind: "user"; readonly json: string }
  | { readonly kind: "result"; readonly callId: string; readonly output: string }
  | UnitWithId<"message", { readonly parts: readonly MessagePart[]; readonly phase: string }>
  | UnitWithId<"call", { readonly callId: string; readonly isCustom: boolean; fields: string }>
  | UnitWithId<"reasoning", { readonly json: string; readonly hasContent: boolean }>
  | UnitWithId<"opaque", { readonly json: string; readonly data: WireRecord }>
  | { readonly kind: "nothing" };

/** A part of a message as it is with the message's id, and its bare text without. */
export interface MessagePart {
  readonly json: string;
  /** A JSON string. */
  readonly text: string;
}

/** `id` is the one that the server gave, or `""`. */
type UnitWithId<Kind, Fields> = { readonly kind: Kind; readonly id: string } & Fields;

const NOTHING: Unit = { kind: "nothing" };
const NO_ANNOTATIONS: readonly JsonValue[] = [];

/** Reads an item; only what this model said with this scheme keeps what it needs back. */
export function toUnit({ item, callId = "" }: ConversationEntry, model: string): Unit {
  switch (item.type) {
    case "message":
      return item.role === "user" ? userUnit(item) : assistantUnit(item, model);
    case "tool_call":
      return callUnit(item, wireCallId(callId, RESPONSES_CALL_ID), model);
    case "tool_result": {
      const id = wireCallId(callId, RESPONSES_CALL_ID);
      return { kind: "result", callId: id, output: JSON.stringify(callOutput(item)) };
    }
    case "reasoning":
      return reasoningUnit(item, model);
    case "opaque":
      return opaqueUnit(item.providerData);
  }
}

function userUnit(item: MessageItem): Unit {
  const content = userParts(item);
  if (content.length === 0) return NOTHING;
  return { kind: "user", json: JSON.stringify({ role: "user", content }) };
}

function assistantUnit(item: MessageItem, model: string): Unit {
  const data = ownData(item.providerData, SCHEME_NAME, model);
  const annotations = data["annotations"] ?? NO_ANNOTATIONS;
  const parts: MessagePart[] = [];
  for (const part of item.content) {
    const text = assistantPartText(part);
    if (text === "") continue;
    const isRefusal = part.type === "text" && part.isRefusal === true;
    const whole = isRefusal
      ? { type: "refusal", refusal: text }
      : { type: "output_text", text, annotations };
    const json = JSON.stringify(whole);
    // Annotations are the server's.
    const isOurs = annotations === NO_ANNOTATIONS;
    parts.push({ json: isOurs ? json : wellFormedJson(json), text: JSON.stringify(text) });
  }
  if (parts.length === 0) return NOTHING;
  return {
    kind: "message",
    id: issuedId("message", data),
    parts,
    phase: stringOf(data["phase"]).toWellFormed(),
  };
}

function callUnit(item: ToolCallItem, callId: string, model: string): Unit {
  const data = ownData(item.providerData, SCHEME_NAME, model);
  const { namespace, caller } = data;
  const isCustom = data["type"] === "custom_tool_call";
  const type = isCustom ? "custom_tool_call" : "function_call";
  const text = isCustom ? customInput(item.arguments) : argumentsJson(item.arguments);
  const textField = `"${isCustom ? "input" : "arguments"}":${JSON.stringify(text)}`;
  const callFields = `"call_id":${JSON.stringify(callId)},"name":${JSON.stringify(wireToolName(item.name))}`;
  const isPlain = namespace === undefined && caller === undefined;
  const more = isPlain ? "" : `,${foreignJson({ namespace, caller }).slice(1, -1)}`;
  return {
    kind: "call",
    id: issuedId(type, data),
    callId,
    isCustom,
    fields: `${callFields},${textField}${more}}`,
  };
}

/** In neutral terms the input of a custom tool is a JSON string. */
function customInput(text: string): string {
  const value = parseJson(text);
  return (typeof value === "string" ? value : text).toWellFormed();
}

function reasoningUnit({ providerData }: ReasoningItem, model: string): Unit {
  const data = ownData(providerData, SCHEME_NAME, model);
  const id = issuedId("reasoning", data);
  if (data["type"] !== "reasoning" || id === "") return NOTHING;
  const { content } = data;
  const hasContent =
    stringOf(data["encrypted_content"]) !== "" || (Array.isArray(content) && content.length > 0);
  return { kind: "reasoning", id, json: foreignJson(data), hasContent };
}

/** What the server gave goes back whole, as far as it takes it. */
function opaqueUnit({ scheme, data }: ProviderData): Unit {
  if (scheme !== SCHEME_NAME || !isRecord(data)) return NOTHING;
  // Types are the server's: one may have the name of what every object has.
  const type = stringOf(data["type"]);
  const fields = Object.hasOwn(INPUT_FIELDS, type) ? INPUT_FIELDS[type] : undefined;
  const json = JSON.stringify(data, fields === undefined ? undefined : [...fields]);
  return { kind: "opaque", id: stringOf(data["id"]), json: wellFormedJson(json), data };
}

/** The item's id, if the API could have issued it (R5). */
function issuedId(type: string, data: WireRecord): string {
  const id = stringOf(data["id"]).toWellFormed();
  const prefix = ID_PREFIXES[type];
  const isIssued = prefix !== undefined && id.startsWith(prefix) && id.length <= MAX_ITEM_ID_CHARS;
  return isIssued ? id : "";
}
