import type { Json } from "@llm-worker/wire-testing";
import { type Item, type JsonSchema, type JsonValue, type LlmRequest, stringOf } from "llm-worker";
import type { OllamaSchemeOptions } from "../src/build-request.js";
import type { OllamaThink } from "../src/wire.js";

/** A recorded request body in neutral terms, and what of it is a matter of the scheme. */
export function requestFromWire(body: Json): {
  readonly request: LlmRequest;
  readonly options: OllamaSchemeOptions;
} {
  const model = String(body["model"]);
  const messages = messagesOf(body);
  const system = messages.find(({ role }) => role === "system");
  const { num_predict, temperature, ...modelOptions } = (body["options"] ?? {}) as Json;
  return {
    request: {
      systemPrompt: system === undefined ? undefined : String(system["content"]),
      tools: ((body["tools"] ?? []) as readonly Json[]).map((tool) => {
        const { name, description, parameters } = tool["function"] as Json;
        return {
          name: String(name),
          description: String(description),
          inputSchema: parameters as JsonSchema,
        };
      }),
      items: messages.flatMap((message) => itemsOf(message, model)),
      generation: {
        ...(num_predict === undefined ? {} : { maxOutputTokens: Number(num_predict) }),
        ...(temperature === undefined ? {} : { temperature: Number(temperature) }),
      },
    },
    options: {
      model,
      overflow: "truncate",
      think: body["think"] as OllamaThink | undefined,
      modelOptions: modelOptions as Record<string, JsonValue>,
    },
  };
}

/** The messages, without the fields that the server passes over and those that say nothing. */
export function messagesOf(body: Json): readonly Json[] {
  return (body["messages"] as readonly Json[]).map(({ tool_calls: calls, ...message }) => ({
    ...message,
    ...(calls === undefined
      ? {}
      : {
          tool_calls: (calls as readonly Json[]).map((call) => {
            const { name, arguments: value } = call["function"] as Json;
            return { function: { name, arguments: value } };
          }),
        }),
  }));
}

/** Recorded clients sent no ids, so calls and results are told apart by the tool's name. */
function itemsOf(message: Json, model: string): readonly Item[] {
  const content = stringOf(message["content"]);
  switch (message["role"]) {
    case "user":
      return [{ type: "message", role: "user", content: [{ type: "text", text: content }] }];
    case "assistant":
      return assistantItems(message, content, model);
    case "tool":
      return [{ type: "tool_result", callId: String(message["tool_name"]), summary: content }];
    default:
      return [];
  }
}

function assistantItems(message: Json, text: string, model: string): readonly Item[] {
  const thinking = stringOf(message["thinking"]);
  const calls = (message["tool_calls"] ?? []) as readonly Json[];
  const providerData = { scheme: "ollama", model, data: { type: "thinking" } };
  return [
    ...(thinking === "" ? [] : [{ type: "reasoning", text: thinking, providerData } as const]),
    ...(text === ""
      ? []
      : [{ type: "message", role: "assistant", content: [{ type: "text", text }] } as const]),
    ...calls.map((call) => {
      const { name, arguments: value } = call["function"] as Json;
      return {
        type: "tool_call",
        callId: String(name),
        name: String(name),
        arguments: JSON.stringify(value),
      } as const;
    }),
  ];
}
