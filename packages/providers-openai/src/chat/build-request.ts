import {
  type GenerationOptions,
  type HistoryWriter,
  JsonBody,
  LlmError,
  type LlmRequest,
  type ToolDefinition,
  type WireRequest,
} from "llm-worker";
import type { OpenAISchemeOptions } from "../scheme-options.js";
import { outputFormat, type StrictTools, toolParameters } from "../tools.js";
import type { MessageWriter } from "./messages.js";
import type { ChatTool, ChatToolChoice } from "./wire.js";

/** What an `OpenAIChatScheme` is told once and says in every request. */
export interface OpenAIChatSchemeOptions extends OpenAISchemeOptions {
  /**
   * The field for the output limit. `max_tokens` is what older and most compatible servers know, and
   * what reasoning models refuse (C10). Default `max_completion_tokens`.
   */
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens" | undefined;
  /** The role of the system prompt. Default `system`, which OpenAI reads as `developer` too. */
  readonly systemRole?: "system" | "developer" | undefined;
  /**
   * Whether reasoning that a compatible server put into its answer goes back to it, in the field in
   * which it came, as DeepSeek wants it (C8). Default `same_field`.
   */
  readonly reasoningReplay?: "same_field" | "off" | undefined;
  /** `"off"` leaves out `stream_options`, which a few servers refuse. Default `"on"`. */
  readonly streamUsage?: "on" | "off" | undefined;
}

/**
 * The request as it goes on the wire. What stays the same from turn to turn comes first and in the
 * same bytes: model, tools, system prompt, then the messages, and only then what may change.
 *
 * @throws LlmError `invalid_request` where the request cannot be said on this wire
 */
export function buildRequest(
  request: LlmRequest,
  options: OpenAIChatSchemeOptions,
  history: HistoryWriter<MessageWriter>,
): WireRequest {
  const generation = request.generation ?? {};
  const { closed, open, writer } = history.write(request.items);
  if (writer.isEmpty) {
    throw new LlmError("invalid_request", "there is no message to send; add one to the history");
  }
  const body = new JsonBody();
  body.set("model", options.model);
  if (request.tools.length > 0) {
    body.set(
      "tools",
      request.tools.map((tool) => toWireTool(tool, options.strictTools)),
    );
  }
  body.setJson("messages", [
    Buffer.from(`[${systemMessage(request, options)}`),
    ...closed.pieces(),
    ...open.pieces(),
    Buffer.from("]"),
  ]);
  addGeneration(body, request, generation, options);
  body.override(options.extraBody);
  return { path: "/chat/completions", headers: {}, body: body.toBody() };
}

/** The first message and what separates it from the next, or nothing. */
function systemMessage(
  { systemPrompt = "" }: LlmRequest,
  { systemRole: role = "system" }: OpenAIChatSchemeOptions,
): string {
  const content = systemPrompt.toWellFormed();
  return content.trim() === "" ? "" : `${JSON.stringify({ role, content })},`;
}

function addGeneration(
  body: JsonBody,
  request: LlmRequest,
  generation: GenerationOptions,
  options: OpenAIChatSchemeOptions,
): void {
  const { maxTokensField = "max_completion_tokens", streamUsage = "on" } = options;
  body.set("stream", true);
  if (streamUsage === "on") body.set("stream_options", { include_usage: true });
  body.set(maxTokensField, generation.maxOutputTokens ?? options.maxOutputTokens);
  body.set("temperature", generation.temperature);
  body.set("top_p", generation.topP);
  body.set("stop", generation.stopSequences);
  if (request.tools.length > 0) {
    body.set("tool_choice", toToolChoice(generation));
    body.set("parallel_tool_calls", generation.parallelToolCalls);
  }
  body.set("reasoning_effort", options.effort);
  body.set("verbosity", options.verbosity);
  body.set("prompt_cache_key", options.promptCacheKey);
  if (generation.outputSchema !== undefined) {
    const json_schema = outputFormat(generation.outputSchema, options.outputSchemaMode);
    body.set("response_format", { type: "json_schema", json_schema });
  }
}

function toWireTool(tool: ToolDefinition, strictTools: StrictTools | undefined): ChatTool {
  const { parameters, isStrict } = toolParameters(tool, strictTools);
  const { name, description } = tool;
  return {
    type: "function",
    function: { name, description, parameters, ...(isStrict ? { strict: true } : {}) },
  };
}

function toToolChoice({ toolChoice }: GenerationOptions): ChatToolChoice | undefined {
  if (typeof toolChoice !== "object") return toolChoice;
  return { type: "function", function: { name: toolChoice.name } };
}
