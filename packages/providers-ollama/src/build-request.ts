import {
  type GenerationOptions,
  type JsonValue,
  LlmError,
  type LlmRequest,
  type ToolDefinition,
  type WireRequest,
} from "llm-worker";
import type { BlockWriter } from "./blocks.js";
import { toMessages } from "./messages.js";
import { toParameters } from "./tool-schema.js";
import type { OllamaThink } from "./wire.js";

/** What an `OllamaScheme` is told once and says in every request. */
export interface OllamaSchemeOptions {
  readonly model: string;
  /** Context window in tokens (`options.num_ctx`). The server's own default is small. */
  readonly numCtx?: number | undefined;
  /** Not sent by default: a model that cannot think refuses `true`. */
  readonly think?: OllamaThink | undefined;
  /** How long the model stays loaded: seconds, or a text such as `"10m"`; `-1` for ever. */
  readonly keepAlive?: string | number | undefined;
  /**
   * What happens when a conversation outgrows the window: `"error"` (the default) refuses the
   * request, `"truncate"` lets the server drop the oldest messages, which neither side is told.
   */
  readonly overflow?: "error" | "truncate" | undefined;
  /** Further `options` of the model, such as `seed` or `top_k`; they win over ours. */
  readonly modelOptions?: Readonly<Record<string, JsonValue>> | undefined;
  /** Fields put into every request body; they win over ours. */
  readonly extraBody?: Readonly<Record<string, JsonValue>> | undefined;
}

/**
 * The request as it goes on the wire. What stays the same from turn to turn comes first and in the
 * same bytes: model, tools, system prompt, then the messages, and only then what may change.
 *
 * @throws LlmError `invalid_request` where the request cannot be said on this wire
 */
export function buildRequest(
  request: LlmRequest,
  options: OllamaSchemeOptions,
  writer: BlockWriter,
): WireRequest {
  const generation = request.generation ?? {};
  const messages = toMessages(request, writer);
  if (messages.length === 0) throw invalid("there is no message to send; add one to the history");
  const tools = toolsToSend(request.tools, generation);
  const body = new Map<string, string>([["model", JSON.stringify(options.model)]]);
  if (tools.length > 0) body.set("tools", JSON.stringify(tools.map(toWireTool)));
  body.set("messages", listJson(messages));
  addGeneration(body, generation, options);
  for (const [field, value] of Object.entries(options.extraBody ?? {})) {
    body.set(field, JSON.stringify(value));
  }
  let json = "";
  for (const [field, value] of body) {
    json += `${json === "" ? "{" : ","}${JSON.stringify(field)}:${value}`;
  }
  return { path: "/api/chat", headers: {}, body: `${json}}` };
}

/** Appending is the fastest way to join many strings: they are copied once, at the very end. */
function listJson(elements: readonly string[]): string {
  let json = "";
  for (const element of elements) json += (json === "" ? "[" : ",") + element;
  return `${json}]`;
}

function addGeneration(
  body: Map<string, string>,
  generation: GenerationOptions,
  options: OllamaSchemeOptions,
): void {
  const set = (field: string, value: unknown): void => {
    if (value !== undefined) body.set(field, JSON.stringify(value));
  };
  set("stream", true);
  set("think", options.think);
  set("format", generation.outputSchema);
  set("keep_alive", options.keepAlive);
  if (options.overflow !== "truncate") {
    // The first is about the prompt, the second about an answer that fills the window (L9).
    set("truncate", false);
    set("shift", false);
  }
  const modelOptions = JSON.stringify({
    num_ctx: options.numCtx,
    num_predict: generation.maxOutputTokens,
    temperature: generation.temperature,
    top_p: generation.topP,
    stop: generation.stopSequences,
    ...options.modelOptions,
  });
  if (modelOptions !== "{}") body.set("options", modelOptions);
}

/** The wire has no tool choice: a model that must not call gets no tools, one that must cannot be made to. */
function toolsToSend(
  tools: readonly ToolDefinition[],
  { toolChoice }: GenerationOptions,
): readonly ToolDefinition[] {
  if (toolChoice === undefined || toolChoice === "auto" || tools.length === 0) return tools;
  if (toolChoice === "none") return [];
  throw invalid('Ollama cannot force a tool call; use toolChoice "auto" and say so in the prompt');
}

function toWireTool({ name, description, inputSchema }: ToolDefinition): unknown {
  return {
    type: "function",
    function: { name, description, parameters: toParameters(name, inputSchema) },
  };
}

function invalid(message: string): LlmError {
  return new LlmError("invalid_request", message);
}
