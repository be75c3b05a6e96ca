import {
  type GenerationOptions,
  type HistoryWriter,
  JsonBody,
  type JsonValue,
  LlmError,
  type LlmRequest,
  type ToolDefinition,
  wellFormedJson,
  type WireRequest,
} from "llm-worker";
import { messageBlock } from "./blocks.js";
import { isBlank } from "./content.js";
import type { MessageWriter } from "./messages.js";
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
  history: HistoryWriter<MessageWriter>,
): WireRequest {
  const generation = request.generation ?? {};
  const { closed, open, writer } = history.write(request.items);
  if (writer.isEmpty) throw invalid("there is no message to send; add one to the history");
  const tools = toolsToSend(request.tools, generation);
  const body = new JsonBody();
  body.set("model", options.model);
  if (tools.length > 0) body.set("tools", tools.map(toWireTool));
  body.setJson("messages", [
    Buffer.from(`[${systemMessage(request)}`),
    ...closed.pieces(),
    ...open.pieces(),
    Buffer.from("]"),
  ]);
  addGeneration(body, generation, options);
  body.override(options.extraBody);
  return { path: "/api/chat", headers: {}, body: body.toBody() };
}

/** The first message and what separates it from the next, or nothing. */
function systemMessage({ systemPrompt = "" }: LlmRequest): string {
  if (isBlank(systemPrompt)) return "";
  return `${messageBlock("system", { text: systemPrompt.toWellFormed(), images: [] }).json},`;
}

function addGeneration(
  body: JsonBody,
  generation: GenerationOptions,
  options: OllamaSchemeOptions,
): void {
  body.set("stream", true);
  body.set("think", options.think);
  body.set("format", generation.outputSchema);
  body.set("keep_alive", options.keepAlive);
  if (options.overflow !== "truncate") {
    // The first is about the prompt, the second about an answer that fills the window (L9).
    body.set("truncate", false);
    body.set("shift", false);
  }
  const modelOptions = JSON.stringify({
    num_ctx: options.numCtx,
    num_predict: generation.maxOutputTokens,
    temperature: generation.temperature,
    top_p: generation.topP,
    stop: generation.stopSequences,
    ...options.modelOptions,
  });
  if (modelOptions !== "{}") body.setJson("options", wellFormedJson(modelOptions));
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
