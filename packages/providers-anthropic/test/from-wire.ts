import type { Json } from "@llm-worker/wire-testing";
import {
  type ContentPart,
  type Item,
  type JsonValue,
  type LlmRequest,
  type MediaPart,
  stringOf,
} from "llm-worker";

/** A recorded request body in neutral terms. Throws where our model has no word for something. */
export function requestFromWire(body: Json): LlmRequest {
  const tools = (body["tools"] ?? []) as readonly Json[];
  return {
    systemPrompt: textOf(body["system"]),
    tools: tools
      .filter((tool) => tool["input_schema"] !== undefined)
      .map((tool) => ({
        name: String(tool["name"]),
        description: stringOf(tool["description"]),
        inputSchema: tool["input_schema"] as Record<string, JsonValue>,
      })),
    items: messagesOf(body).flatMap(({ role, content }) =>
      content.map((block) => itemOf(role, block, String(body["model"]))),
    ),
    generation: { maxOutputTokens: Number(body["max_tokens"]) },
  };
}

export interface WireMessage {
  readonly role: string;
  readonly content: readonly Json[];
}

/** The messages in one form: content as blocks, without cache marks, text results as strings. */
export function messagesOf(body: Json): readonly WireMessage[] {
  return (body["messages"] as readonly Json[]).map((message) => ({
    role: String(message["role"]),
    content: blocksOf(message["content"]).map(withoutForm),
  }));
}

function withoutForm({ cache_control: _mark, ...block }: Json): Json {
  if (block["type"] !== "tool_result") return block;
  const [only, ...others] = blocksOf(block["content"]);
  const { is_error, ...rest } = block;
  const isText = others.length === 0 && only?.["type"] === "text";
  return {
    ...rest,
    ...(is_error === true ? { is_error } : {}),
    ...(isText ? { content: only["text"] } : {}),
  };
}

function blocksOf(content: unknown): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content as Json[]);
}

function textOf(system: unknown): string | undefined {
  if (system === undefined) return undefined;
  return blocksOf(system)
    .map((block) => String(block["text"]))
    .join("\n");
}

function itemOf(role: string, block: Json, model: string): Item {
  switch (block["type"]) {
    case "text":
    case "image":
    case "document":
      if (role === "assistant") return assistantItem(block, model);
      return { type: "message", role: "user", content: [partOf(block)] };
    case "tool_use":
      return {
        type: "tool_call",
        callId: String(block["id"]),
        name: String(block["name"]),
        arguments: JSON.stringify(block["input"]),
      };
    case "tool_result":
      return resultOf(block);
    case "thinking":
      return {
        type: "reasoning",
        text: String(block["thinking"]),
        providerData: {
          scheme: "anthropic",
          model,
          data: { type: "thinking", signature: String(block["signature"]) },
        },
      };
    default:
      return {
        type: "opaque",
        providerData: { scheme: "anthropic", model, data: block as JsonValue },
      };
  }
}

function assistantItem(block: Json, model: string): Item {
  const { citations } = block;
  return {
    type: "message",
    role: "assistant",
    content: [partOf(block)],
    ...(citations === undefined
      ? {}
      : {
          providerData: {
            scheme: "anthropic",
            model,
            data: { type: "text", citations: citations as JsonValue },
          },
        }),
  };
}

function resultOf(block: Json): Item {
  const content = blocksOf(block["content"] ?? []);
  const texts = content.filter(({ type }) => type === "text").map(({ text }) => String(text));
  const others = content.filter(({ type }) => type !== "text");
  return {
    type: "tool_result",
    callId: String(block["tool_use_id"]),
    summary: texts.join("\n"),
    ...(others.length > 0 ? { parts: others.map((part) => partOf(part) as MediaPart) } : {}),
    ...(block["is_error"] === true ? { isError: true } : {}),
  };
}

function partOf(block: Json): ContentPart {
  if (block["type"] === "text") return { type: "text", text: String(block["text"]) };
  const source = block["source"] as Json;
  const wanted = source["type"] === "url" ? "url" : "base64";
  if (source["type"] !== wanted)
    throw new Error(`no word for a source of ${String(source["type"])}`);
  const neutral =
    wanted === "url"
      ? ({ type: "url", url: String(source["url"]) } as const)
      : ({
          type: "base64",
          mediaType: String(source["media_type"]),
          data: String(source["data"]),
        } as const);
  if (block["type"] === "image") return { type: "image", source: neutral };
  if (block["type"] !== "document") throw new Error(`no word for ${String(block["type"])}`);
  const name = block["title"];
  return { type: "file", source: neutral, ...(typeof name === "string" ? { name } : {}) };
}
