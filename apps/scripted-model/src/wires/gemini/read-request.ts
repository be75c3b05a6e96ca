import { canonicalJson } from "../../json.js";
import type {
  CallEntry,
  HistoryEntry,
  ModelView,
  ToolChoice,
  ToolResult,
} from "../../model-view.js";
import type { PromptBlock } from "../../prompt-cache.js";
import {
  type CallingConfig,
  type Content,
  declaredFunctions,
  type FunctionCall,
  type FunctionResponse,
  type GenerateRequest,
  type Part,
} from "./request-types.js";

/** What a checked request says, in no wire's words. */
export function readRequest(request: GenerateRequest): ModelView {
  const { contents, systemInstruction } = request;
  const calling = request.toolConfig?.functionCallingConfig ?? {};
  const allowed = calling.allowedFunctionNames ?? [];
  return {
    system: textOf(systemInstruction?.parts ?? []),
    tools: declaredFunctions(request)
      .filter(({ name }) => allowed.length === 0 || allowed.includes(name))
      .map(({ name, description = "", parameters, parametersJsonSchema }) => ({
        name,
        description,
        inputSchema: parametersJsonSchema ?? lowerTypes(parameters),
      })),
    toolChoice: readToolChoice(calling),
    allowsParallelCalls: true,
    history: contents.flatMap((content, index) => readContent(content, contents[index + 1])),
  };
}

function readToolChoice({ mode }: CallingConfig): ToolChoice {
  switch (mode) {
    case "ANY":
      return "required";
    case "NONE":
      return "none";
    default:
      return "auto";
  }
}

/** A schema whose types are in upper case, as JSON Schema has them. */
function lowerTypes(schema: unknown): unknown {
  const json = JSON.stringify(schema ?? {}, (key, value: unknown) =>
    key === "type" && typeof value === "string" ? value.toLowerCase() : value,
  );
  return JSON.parse(json);
}

function readContent(content: Content, next: Content | undefined): HistoryEntry[] {
  const type = content.role === "model" ? "assistant" : "user";
  const text = textOf(content.parts);
  const responses = (next?.parts ?? []).flatMap((part) => part.functionResponse ?? []);
  const calls = content.parts.flatMap((part): CallEntry[] => {
    const { functionCall: call } = part;
    if (call === undefined) return [];
    const result = readResponse(takeResponse(call, responses));
    return [{ type: "call", name: call.name, input: call.args ?? {}, result }];
  });
  return text === "" ? calls : [{ type, text }, ...calls];
}

/** The response of a call: the one with its id, or the next one with its name. */
function takeResponse(
  { id, name }: FunctionCall,
  responses: FunctionResponse[],
): FunctionResponse | undefined {
  const at = responses.findIndex(
    (response) => response.name === name && (response.id === undefined || response.id === id),
  );
  return at === -1 ? undefined : responses.splice(at, 1)[0];
}

/** By convention a response has `output` (or `result`), or `error`. */
function readResponse(found: FunctionResponse | undefined): ToolResult {
  const response = found?.response ?? {};
  const isError = response["error"] !== undefined;
  const said = response["error"] ?? response["output"] ?? response["result"] ?? response;
  return { text: typeof said === "string" ? said : canonicalJson(said), isError };
}

/** The text of a turn, without thoughts. */
function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
}

/** The prompt in the order in which it is cached. */
export function promptBlocks(request: GenerateRequest, model: string): PromptBlock[] {
  const scope = `gemini ${model}`;
  const { systemInstruction, tools = [], contents } = request;
  const parts = [...(systemInstruction ? [systemInstruction] : []), ...tools, ...contents];
  return parts.map((part) => ({ text: JSON.stringify(part), scope }));
}
