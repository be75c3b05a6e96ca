import type { Json } from "@llm-worker/wire-testing";
import {
  type ContentPart,
  type Item,
  type JsonSchema,
  type JsonValue,
  listOf,
  type LlmRequest,
  stringOf,
} from "llm-worker";
import { sourceOf } from "./from-chat.js";

const SCHEME = "openai-responses";

/** A recorded Responses request in neutral terms. Throws where our model has no word for something. */
export function requestFromResponses(body: Json): LlmRequest {
  const model = String(body["model"]);
  return {
    systemPrompt: systemText(body),
    tools: (listOf(body["tools"]) as Json[])
      .filter(({ type }) => type === "function")
      .map(({ name, description, parameters }) => ({
        name: String(name),
        description: stringOf(description),
        inputSchema: (parameters ?? { type: "object", properties: {} }) as JsonSchema,
      })),
    items: otherItems(body).map((item) => itemOf(item, model)),
  };
}

/** The input in one form: nothing that only says how the server keeps it, and no bare reasoning. */
export function plainInput(body: Json): readonly Json[] {
  return otherItems(body)
    .filter(
      ({ type, encrypted_content }) => type !== "reasoning" || encrypted_content !== undefined,
    )
    .map(plainItem);
}

/** The system prompt, wherever it stands. */
export function systemText(body: Json): string | undefined {
  const texts = [stringOf(body["instructions"]), ...inputOf(body).filter(isSystem).map(textIn)];
  return texts.filter((text) => text !== "").join("\n") || undefined;
}

/** The names of the tools that were strict. */
export function strictNames(body: Json): readonly string[] {
  return (listOf(body["tools"]) as Json[]).flatMap(({ type, name, strict }) =>
    type === "function" && strict === true ? [String(name)] : [],
  );
}

function plainItem(item: Json): Json {
  const { id: _id, status: _status, type, ...rest } = item;
  if (rest["role"] === undefined) return { type, ...rest };
  const { role } = rest;
  return role === "assistant"
    ? { role, content: textIn(item) }
    : { role, content: typeof rest["content"] === "string" ? textParts(item) : rest["content"] };
}

function textParts(item: Json): readonly Json[] {
  return [{ type: "input_text", text: item["content"] }];
}

function inputOf(body: Json): readonly Json[] {
  const { input } = body;
  return typeof input === "string" ? [{ role: "user", content: input }] : (input as Json[]);
}

function isSystem({ role }: Json): boolean {
  return role === "system" || role === "developer";
}

function otherItems(body: Json): readonly Json[] {
  return inputOf(body).filter((item) => !isSystem(item));
}

function textIn({ content }: Json): string {
  if (typeof content === "string") return content;
  return (listOf(content) as Json[]).map(({ text }) => stringOf(text)).join("");
}

function itemOf(item: Json, model: string): Item {
  // The recordings are JSON.
  const { status: _status, ...data } = item as Readonly<Record<string, JsonValue>>;
  const providerData = { scheme: SCHEME, model, data };
  if (item["role"] === "user") {
    return { type: "message", role: "user", content: partsOf(item["content"]) };
  }
  if (item["role"] === "assistant") {
    return {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: textIn(item) }],
      providerData,
    };
  }
  switch (item["type"]) {
    case "function_call":
      return {
        type: "tool_call",
        callId: String(item["call_id"]),
        name: String(item["name"]),
        arguments: String(item["arguments"]),
        providerData,
      };
    case "function_call_output":
      return {
        type: "tool_result",
        callId: String(item["call_id"]),
        summary: stringOf(item["output"]),
      };
    case "reasoning":
      return { type: "reasoning", text: "", providerData };
    default:
      return { type: "opaque", providerData: { scheme: SCHEME, model, data: item as JsonValue } };
  }
}

function partsOf(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (listOf(content) as Json[]).map((part) => {
    switch (part["type"]) {
      case "input_text":
        return { type: "text", text: String(part["text"]) };
      case "input_file": {
        const { filename, file_data, file_url } = part;
        const source = sourceOf(stringOf(file_data) || String(file_url));
        return {
          type: "file",
          source,
          ...(typeof filename === "string" ? { name: filename } : {}),
        };
      }
      default:
        throw new Error(`no word for ${String(part["type"])}`);
    }
  });
}
