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
import type { InputWriter } from "./input-items.js";
import type { ResponsesTool, ResponsesToolChoice } from "./wire.js";

/** What an `OpenAIResponsesScheme` is told once and says in every request. */
export interface OpenAIResponsesSchemeOptions extends OpenAISchemeOptions {
  /** What is sent of reasoning in readable form. Default: nothing. */
  readonly reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /**
   * Whether reasoning is asked for in encrypted form, so that the model can go on from it. `"auto"`
   * (the default) asks unless the model is known not to reason, as such models refuse it.
   */
  readonly encryptedReasoning?: "auto" | "on" | "off" | undefined;
  /** Whether the server keeps the response. Default `"off"`: every request says all (R3). */
  readonly store?: "on" | "off" | undefined;
}

/** Families without reasoning, by the beginning of their names. */
const NO_REASONING = /^(ft:)?(gpt-3|gpt-4|chatgpt-)/;

/**
 * The request as it goes on the wire. What stays the same from turn to turn comes first and in the
 * same bytes: model, tools, system prompt, then the items, and only then what may change.
 *
 * @throws LlmError `invalid_request` where the request cannot be said on this wire
 */
export function buildRequest(
  request: LlmRequest,
  options: OpenAIResponsesSchemeOptions,
  history: HistoryWriter<InputWriter>,
): WireRequest {
  const generation = request.generation ?? {};
  if (generation.stopSequences !== undefined) {
    throw invalid(
      'stopSequences do not exist in the Responses API; leave them out or use api "chat"',
    );
  }
  const { closed, open, writer } = history.write(request.items);
  if (writer.isEmpty) throw invalid("there is no message to send; add one to the history");
  const instructions = request.systemPrompt?.toWellFormed() ?? "";
  const body = new JsonBody();
  body.set("model", options.model);
  if (request.tools.length > 0) {
    body.set(
      "tools",
      request.tools.map((tool) => toWireTool(tool, options.strictTools)),
    );
  }
  if (instructions.trim() !== "") body.set("instructions", instructions);
  body.setJson("input", [Buffer.from("["), ...closed.pieces(), ...open.pieces(), Buffer.from("]")]);
  addGeneration(body, request, generation, options);
  body.override(options.extraBody);
  return { path: "/responses", headers: {}, body: body.toBody() };
}

function addGeneration(
  body: JsonBody,
  request: LlmRequest,
  generation: GenerationOptions,
  options: OpenAIResponsesSchemeOptions,
): void {
  const { model, effort, reasoningSummary: summary, encryptedReasoning = "auto" } = options;
  body.set("stream", true);
  body.set("store", options.store === "on");
  const reasons = encryptedReasoning === "auto" ? !NO_REASONING.test(model) : false;
  if (encryptedReasoning === "on" || reasons) body.set("include", ["reasoning.encrypted_content"]);
  if (effort !== undefined || summary !== undefined) body.set("reasoning", { effort, summary });
  body.set("max_output_tokens", generation.maxOutputTokens ?? options.maxOutputTokens);
  body.set("temperature", generation.temperature);
  body.set("top_p", generation.topP);
  if (request.tools.length > 0) {
    body.set("tool_choice", toToolChoice(generation));
    body.set("parallel_tool_calls", generation.parallelToolCalls);
  }
  const { outputSchema } = generation;
  if (outputSchema !== undefined || options.verbosity !== undefined) {
    const format =
      outputSchema === undefined
        ? undefined
        : { type: "json_schema", ...outputFormat(outputSchema, options.outputSchemaMode) };
    body.set("text", { format, verbosity: options.verbosity });
  }
  body.set("prompt_cache_key", options.promptCacheKey);
}

function toWireTool(tool: ToolDefinition, strictTools: StrictTools | undefined): ResponsesTool {
  const { parameters, isStrict: strict } = toolParameters(tool, strictTools);
  return { type: "function", name: tool.name, description: tool.description, parameters, strict };
}

function toToolChoice({ toolChoice }: GenerationOptions): ResponsesToolChoice | undefined {
  return typeof toolChoice === "object" ? { type: "function", name: toolChoice.name } : toolChoice;
}

function invalid(message: string): LlmError {
  return new LlmError("invalid_request", message);
}
