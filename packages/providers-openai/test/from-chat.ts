import type { Json } from "@llm-worker/wire-testing";
import {
  type ContentPart,
  type Item,
  type JsonSchema,
  type LlmRequest,
  listOf,
  type MediaSource,
  stringOf,
} from "llm-worker";

/** A recorded Chat request in neutral terms. Throws where our model has no word for something. */
export function requestFromChat(body: Json): LlmRequest {
  const model = String(body["model"]);
  return {
    systemPrompt: systemMessages(body).map(contentText).join("\n") || undefined,
    tools: toolsOf(body).map(({ function: details }) => {
      const { name, description, parameters } = details as Json;
      return {
        name: String(name),
        description: stringOf(description),
        inputSchema: (parameters ?? { type: "object", properties: {} }) as JsonSchema,
      };
    }),
    items: otherMessages(body).flatMap((message) => itemsOf(message, model)),
  };
}

/** The messages in one form: text as a string, nothing that only one server knows. */
export function plainMessages(body: Json): readonly Json[] {
  const system = systemMessages(body).map(contentText).join("\n");
  return [
    ...(system === "" ? [] : [{ role: systemRole(body), content: system }]),
    ...otherMessages(body).map(plainMessage),
  ];
}

/** The names of the tools that were strict. */
export function strictNames(body: Json): readonly string[] {
  return toolsOf(body).flatMap(({ function: details }) => {
    const { name, strict } = details as Json;
    return strict === true ? [String(name)] : [];
  });
}

/** The role of the system prompt. */
export function systemRole(body: Json): "system" | "developer" {
  return systemMessages(body)[0]?.["role"] === "developer" ? "developer" : "system";
}

function plainMessage({ role, content, tool_calls, tool_call_id, reasoning_content }: Json): Json {
  const parts = listOf(content) as Json[];
  const isText = parts.every(({ type }) => type === "text");
  const text = isText ? contentText({ content }) : parts.map(plainPart);
  return {
    role,
    content: role === "assistant" && text === "" ? null : text,
    ...(reasoning_content === undefined ? {} : { reasoning_content }),
    ...(tool_calls === undefined ? {} : { tool_calls: (tool_calls as Json[]).map(plainCall) }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}

/** `auto` is what no detail means. */
function plainPart(part: Json): Json {
  const image = part["image_url"] as Json | undefined;
  return image?.["detail"] === "auto" ? { ...part, image_url: { url: image["url"] } } : part;
}

function plainCall({ id, function: details }: Json): Json {
  const { name, arguments: text } = details as Json;
  return { id, type: "function", function: { name, arguments: stringOf(text) || "{}" } };
}

function toolsOf(body: Json): readonly Json[] {
  return (listOf(body["tools"]) as Json[]).filter(({ type }) => type === "function");
}

function messagesIn(body: Json): readonly Json[] {
  return body["messages"] as Json[];
}

function isSystem({ role }: Json): boolean {
  return role === "system" || role === "developer";
}

function systemMessages(body: Json): readonly Json[] {
  return messagesIn(body).filter(isSystem);
}

function otherMessages(body: Json): readonly Json[] {
  return messagesIn(body).filter((message) => !isSystem(message));
}

function itemsOf(message: Json, model: string): readonly Item[] {
  const { role, content } = message;
  if (role === "user") return [{ type: "message", role, content: partsOf(content) }];
  if (role === "tool") {
    const callId = String(message["tool_call_id"]);
    return [{ type: "tool_result", callId, summary: contentText(message) }];
  }
  const reasoning = stringOf(message["reasoning_content"]);
  const text = contentText(message);
  const data = { type: "reasoning", field: "reasoning_content" };
  return [
    ...(reasoning === ""
      ? []
      : [
          {
            type: "reasoning",
            text: reasoning,
            providerData: { scheme: "openai-chat", model, data },
          } as const,
        ]),
    ...(text === ""
      ? []
      : [{ type: "message", role: "assistant", content: [{ type: "text", text }] } as const]),
    ...(listOf(message["tool_calls"]) as Json[]).map((call) => {
      const { name, arguments: args } = call["function"] as Json;
      return {
        type: "tool_call",
        callId: String(call["id"]),
        name: String(name),
        arguments: stringOf(args),
      } as const;
    }),
  ];
}

function contentText({ content }: Json): string {
  if (typeof content === "string") return content;
  return (listOf(content) as Json[]).map(({ text }) => stringOf(text)).join("\n");
}

function partsOf(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (listOf(content) as Json[]).map((part) => {
    switch (part["type"]) {
      case "text":
        return { type: "text", text: String(part["text"]) };
      case "image_url":
        return { type: "image", source: sourceOf(String((part["image_url"] as Json)["url"])) };
      case "input_audio": {
        const { data, format } = part["input_audio"] as Json;
        const mediaType = format === "wav" ? "audio/wav" : "audio/mpeg";
        return { type: "file", source: { type: "base64", mediaType, data: String(data) } };
      }
      case "file": {
        const { filename, file_data } = part["file"] as Json;
        return { type: "file", name: String(filename), source: sourceOf(String(file_data)) };
      }
      default:
        throw new Error(`no word for ${String(part["type"])}`);
    }
  });
}

/** An address, or data in one. */
export function sourceOf(url: string): MediaSource {
  const [, mediaType, data] = /^data:([^;]*);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) return { type: "url", url };
  return { type: "base64", mediaType, data };
}
