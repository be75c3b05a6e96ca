import {
  type GenerationOptions,
  type HistoryWriter,
  JsonBody,
  jsonList,
  type JsonValue,
  LlmError,
  type LlmRequest,
  plainObjectSchema,
  type ToolDefinition,
  foreignJson,
  type WireRequest,
  type WrittenHistory,
} from "llm-worker";
import { markJson, withMark } from "./cache-marks.js";
import { isBlank } from "./content.js";
import type { MessageWriter } from "./messages.js";
import {
  type AnthropicEffort,
  type AnthropicThinking,
  type CacheTtl,
  DEFAULT_VERSION,
  SAMPLING_VERSION,
  type WireTool,
  type WireToolChoice,
} from "./wire.js";

/**
 * The wire wants a limit in every request. All models since Claude 4 can answer this much; older
 * ones need a lower `maxOutputTokens`.
 */
export const DEFAULT_MAX_OUTPUT_TOKENS = 32_000;

/** Source: docs "Extended thinking". */
const MIN_THINKING_BUDGET_TOKENS = 1024;

/** What an `AnthropicScheme` is told once and says in every request. */
export interface AnthropicSchemeOptions {
  readonly model: string;
  /** Where the request names none. Default {@link DEFAULT_MAX_OUTPUT_TOKENS}. */
  readonly maxOutputTokens?: number | undefined;
  /** Not sent by default: which kinds a model takes differs. */
  readonly thinking?: AnthropicThinking | undefined;
  readonly effort?: AnthropicEffort | undefined;
  /** `"auto"` (the default) marks the prefixes that the prompt cache should keep. */
  readonly cache?: "auto" | "off" | undefined;
  /** How long a cached prefix is kept. Default: the server's, five minutes. */
  readonly cacheTtl?: CacheTtl | undefined;
  /** `anthropic-version`. Default {@link DEFAULT_VERSION}. */
  readonly version?: string | undefined;
  /** `anthropic-beta`. */
  readonly betas?: readonly string[] | undefined;
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
  options: AnthropicSchemeOptions,
  history: HistoryWriter<MessageWriter>,
): WireRequest {
  const generation = request.generation ?? {};
  assertSayable(request, generation, options);
  const written = history.write(request.items);
  if (written.writer.isEmpty) throw invalid("there is no message to send; add one to the history");
  const body = new JsonBody();
  body.set("model", options.model);
  addPrefix(body, request, options);
  body.setJson("messages", messagesJson(written, request.lockedItemCount ?? 0, options));
  addGeneration(body, request, generation, options);
  body.override(options.extraBody);
  return {
    path: "/v1/messages",
    headers: {
      "anthropic-version": options.version ?? DEFAULT_VERSION,
      ...(options.betas?.length ? { "anthropic-beta": options.betas.join(",") } : {}),
    },
    body: body.toBody(),
  };
}

/** Tools and system prompt, with one cache mark at their end. */
function addPrefix(body: JsonBody, request: LlmRequest, options: AnthropicSchemeOptions): void {
  const mark = (json: string): string =>
    options.cache === "off" ? json : withMark(json, options.cacheTtl);
  const systemPrompt = request.systemPrompt?.toWellFormed() ?? "";
  const tools = request.tools.map((tool) => foreignJson(toWireTool(tool)));
  const lastTool = tools.pop();
  if (lastTool !== undefined) {
    tools.push(isBlank(systemPrompt) ? mark(lastTool) : lastTool);
    body.setJson("tools", jsonList(tools));
  }
  if (!isBlank(systemPrompt)) {
    body.setJson("system", jsonList([mark(JSON.stringify({ type: "text", text: systemPrompt }))]));
  }
}

/** The list of messages, the marks put between the bytes of what was written without them. */
function messagesJson(
  { closed, open, writer }: WrittenHistory<MessageWriter>,
  lockedItemCount: number,
  { cache, cacheTtl }: AnthropicSchemeOptions,
): readonly Uint8Array[] {
  const marks = cache === "off" ? [] : writer.marks.offsets(lockedItemCount);
  const mark = Buffer.from(markJson(cacheTtl));
  const pieces: Uint8Array[] = [Buffer.from("[")];
  let from = 0;
  for (const offset of marks) {
    pieces.push(...closed.pieces(from, offset), ...open.pieces(from, offset), mark);
    from = offset;
  }
  pieces.push(...closed.pieces(from), ...open.pieces(from), Buffer.from("]"));
  return pieces;
}

function addGeneration(
  body: JsonBody,
  request: LlmRequest,
  generation: GenerationOptions,
  options: AnthropicSchemeOptions,
): void {
  body.set("max_tokens", maxTokens(generation, options));
  body.set("stream", true);
  body.set("temperature", generation.temperature);
  body.set("top_p", generation.topP);
  body.set("stop_sequences", generation.stopSequences);
  if (request.tools.length > 0) body.set("tool_choice", toToolChoice(generation));
  body.set("thinking", toWireThinking(options.thinking));
  const { outputSchema: schema } = generation;
  if (options.effort !== undefined || schema !== undefined) {
    const format = schema === undefined ? undefined : { type: "json_schema", schema };
    body.set("output_config", { effort: options.effort, format });
  }
}

function maxTokens(generation: GenerationOptions, options: AnthropicSchemeOptions): number {
  return generation.maxOutputTokens ?? options.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
}

function toWireTool({ name, description, inputSchema }: ToolDefinition): WireTool {
  // The root has to say that it is an object (A21).
  const what = `the input schema of tool ${JSON.stringify(name)}`;
  return { name, description, input_schema: plainObjectSchema(inputSchema, what) };
}

function toToolChoice({
  toolChoice,
  parallelToolCalls,
}: GenerationOptions): WireToolChoice | undefined {
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true as const } : {};
  switch (toolChoice) {
    case undefined:
      return parallelToolCalls === false ? { type: "auto", ...single } : undefined;
    case "auto":
      return { type: "auto", ...single };
    case "required":
      return { type: "any", ...single };
    case "none":
      return { type: "none" };
    default:
      return { type: "tool", name: toolChoice.name, ...single };
  }
}

function toWireThinking(thinking: AnthropicThinking | undefined): unknown {
  if (thinking?.type !== "enabled") return thinking;
  const { type, budgetTokens, display } = thinking;
  return { type, budget_tokens: budgetTokens, display };
}

function assertSayable(
  request: LlmRequest,
  generation: GenerationOptions,
  options: AnthropicSchemeOptions,
): void {
  const { version = DEFAULT_VERSION, thinking } = options;
  const samples = generation.temperature !== undefined || generation.topP !== undefined;
  if (samples && version > SAMPLING_VERSION) {
    throw invalid(
      `temperature and topP do not exist in anthropic-version ${version}; leave them out or set version: "${SAMPLING_VERSION}"`,
    );
  }
  if (thinking?.type !== "enabled") return;
  const limit = maxTokens(generation, options);
  if (thinking.budgetTokens < MIN_THINKING_BUDGET_TOKENS || thinking.budgetTokens >= limit) {
    throw invalid(
      `thinking.budgetTokens is ${thinking.budgetTokens}; it has to be at least ${MIN_THINKING_BUDGET_TOKENS} and below maxOutputTokens (${limit})`,
    );
  }
  const choice = generation.toolChoice;
  const isForced = choice === "required" || typeof choice === "object";
  if (isForced && request.tools.length > 0) {
    throw invalid(
      'a tool call cannot be forced while thinking is "enabled"; use toolChoice "auto" or adaptive thinking',
    );
  }
}

function invalid(message: string): LlmError {
  return new LlmError("invalid_request", message);
}
