import {
  type GenerationOptions,
  type HistoryWriter,
  isRecord,
  JsonBody,
  type JsonValue,
  LlmError,
  type LlmRequest,
  foreignJson,
  type WireRequest,
} from "llm-worker";
import { isBlank } from "./content.js";
import type { MessageWriter } from "./messages.js";
import { toDeclaration, toWireSchema } from "./tool-schema.js";
import { DEFAULT_API_VERSION, type FunctionCallingConfig, type GeminiThinking } from "./wire.js";

/** What a `GeminiScheme` is told once and says in every request. */
export interface GeminiSchemeOptions {
  /** Such as `gemini-3-pro-preview`; with slashes a whole resource name, as Vertex AI has them. */
  readonly model: string;
  /** Where the request names none. Default: the server's. */
  readonly maxOutputTokens?: number | undefined;
  /** Not sent by default: which settings a model takes differs. */
  readonly thinking?: GeminiThinking | undefined;
  /** `"validated"` keeps the arguments of calls to their schemas where the model is free to call. */
  readonly toolMode?: "auto" | "validated" | undefined;
  /**
   * Name of a cached content, such as `cachedContents/x`. Tools and system prompt are then those of
   * the cache and are not sent.
   */
  readonly cachedContent?: string | undefined;
  /** In the path. Default {@link DEFAULT_API_VERSION}. */
  readonly apiVersion?: string | undefined;
  /**
   * Fields put into every request body. `tools` are added to ours, the fields of `generationConfig`
   * and `toolConfig` win over ours one by one, any other field wins over ours.
   */
  readonly extraBody?: Readonly<Record<string, JsonValue>> | undefined;
}

/** Where further fields are put beside ours instead of in their place. */
const MERGED_FIELDS: ReadonlySet<string> = new Set(["tools", "toolConfig", "generationConfig"]);

/**
 * The request as it goes on the wire. What stays the same from turn to turn comes first and in the
 * same bytes: system prompt, tools, then the contents, and only then what may change.
 *
 * @throws LlmError `invalid_request` where the request cannot be said on this wire
 */
export function buildRequest(
  request: LlmRequest,
  options: GeminiSchemeOptions,
  history: HistoryWriter<MessageWriter>,
): WireRequest {
  const generation = request.generation ?? {};
  assertSayable(generation, options);
  const { closed, open, writer } = history.write(request.items);
  if (writer.isEmpty) throw invalid("there is no message to send; add one to the history");
  const body = new JsonBody();
  addPrefix(body, request, options);
  body.setJson("contents", [
    Buffer.from("["),
    ...closed.pieces(),
    ...open.pieces(),
    Buffer.from("]"),
  ]);
  addSettings(body, request, generation, options);
  for (const [field, value] of Object.entries(options.extraBody ?? {})) {
    if (!MERGED_FIELDS.has(field)) body.set(field, value);
  }
  return { path: pathOf(options), headers: {}, body: body.toBody() };
}

/** `alt=sse`, as the stream is one JSON list without it (G17). */
function pathOf({ model, apiVersion = DEFAULT_API_VERSION }: GeminiSchemeOptions): string {
  const name = model.includes("/") ? model : `models/${model}`;
  const path = name.split("/").map(encodeURIComponent).join("/");
  return `/${apiVersion}/${path}:streamGenerateContent?alt=sse`;
}

function addPrefix(
  body: JsonBody,
  request: LlmRequest,
  { cachedContent, extraBody }: GeminiSchemeOptions,
): void {
  const systemPrompt = request.systemPrompt?.toWellFormed() ?? "";
  if (!isBlank(systemPrompt) && cachedContent === undefined) {
    body.set("systemInstruction", { parts: [{ text: systemPrompt }] });
  }
  const tools: unknown[] = [];
  if (request.tools.length > 0 && cachedContent === undefined) {
    tools.push({ functionDeclarations: request.tools.map(toDeclaration) });
  }
  const serverTools = extraBody?.["tools"];
  if (Array.isArray(serverTools)) tools.push(...serverTools);
  if (tools.length > 0) body.set("tools", tools);
}

function addSettings(
  body: JsonBody,
  request: LlmRequest,
  generation: GenerationOptions,
  options: GeminiSchemeOptions,
): void {
  const { extraBody = {}, cachedContent } = options;
  const setUnlessEmpty = (field: string, ours: object): void => {
    const theirs = extraBody[field];
    const json = foreignJson(isRecord(theirs) ? { ...ours, ...theirs } : ours);
    if (json !== "{}") body.setJson(field, json);
  };
  const functionCallingConfig =
    request.tools.length > 0 ? callingConfig(generation, options) : undefined;
  setUnlessEmpty("toolConfig", { functionCallingConfig });
  const { outputSchema } = generation;
  setUnlessEmpty("generationConfig", {
    maxOutputTokens: generation.maxOutputTokens ?? options.maxOutputTokens,
    temperature: generation.temperature,
    topP: generation.topP,
    stopSequences: generation.stopSequences,
    responseMimeType: outputSchema === undefined ? undefined : "application/json",
    responseJsonSchema:
      outputSchema === undefined ? undefined : toWireSchema(outputSchema, "outputSchema"),
    thinkingConfig: thinkingConfig(options.thinking),
  });
  body.set("cachedContent", cachedContent);
}

/** The wire cannot say that calls must come one at a time. */
function callingConfig(
  { toolChoice }: GenerationOptions,
  { toolMode }: GeminiSchemeOptions,
): FunctionCallingConfig | undefined {
  switch (toolChoice) {
    case undefined:
      return toolMode === "validated" ? { mode: "VALIDATED" } : undefined;
    case "auto":
      return { mode: toolMode === "validated" ? "VALIDATED" : "AUTO" };
    case "required":
      return { mode: "ANY" };
    case "none":
      return { mode: "NONE" };
    default:
      return { mode: "ANY", allowedFunctionNames: [toolChoice.name] };
  }
}

function thinkingConfig(thinking: GeminiThinking | undefined): unknown {
  if (thinking === undefined) return undefined;
  const { level, budgetTokens, includeThoughts } = thinking;
  return {
    includeThoughts,
    thinkingBudget: budgetTokens,
    thinkingLevel: level?.toUpperCase(),
  };
}

function assertSayable(
  { toolChoice }: GenerationOptions,
  { thinking, cachedContent, toolMode }: GeminiSchemeOptions,
): void {
  if (thinking?.level !== undefined && thinking.budgetTokens !== undefined) {
    throw invalid(
      "thinking has a level and a budgetTokens; models take one of them: level since Gemini 3, budgetTokens before",
    );
  }
  if (cachedContent !== undefined && (toolChoice ?? toolMode) !== undefined) {
    throw invalid(
      "toolChoice and toolMode cannot be sent along with cachedContent: put them into the cached content",
    );
  }
}

function invalid(message: string): LlmError {
  return new LlmError("invalid_request", message);
}
