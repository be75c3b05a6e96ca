import type { Json } from "@llm-worker/wire-testing";
import {
  type ContentPart,
  type Item,
  type JsonSchema,
  type JsonValue,
  listOf,
  type LlmRequest,
  type ProviderData,
  stringOf,
} from "llm-worker";
import type { GeminiSchemeOptions } from "../src/build-request.js";
import type { GeminiThinking, GeminiThinkingLevel } from "../src/wire.js";

/** A recorded request body in neutral terms. Throws where our model has no word for something. */
export function requestFromWire(
  body: Json,
  model: string,
): { readonly request: LlmRequest; readonly options: GeminiSchemeOptions } {
  const { thinkingConfig, ...config } = recordOf(body["generationConfig"]);
  const { functionCallingConfig, ...toolConfig } = recordOf(body["toolConfig"]);
  const { maxOutputTokens, temperature, topP, responseMimeType: _json, ...more } = config;
  const { responseJsonSchema, responseSchema, ...generationConfig } = more;
  const schema = responseJsonSchema ?? responseSchema;
  const tools = (listOf(body["tools"]) as readonly Json[]).map(withoutNulls);
  return {
    request: {
      systemPrompt: listOf(recordOf(body["systemInstruction"])["parts"])
        .map((part) => String((part as Json)["text"]))
        .join("\n"),
      tools: tools.flatMap(({ functionDeclarations }) =>
        (listOf(functionDeclarations) as readonly Json[]).map((tool) => ({
          name: String(tool["name"]),
          description: stringOf(tool["description"]),
          inputSchema: schemaOf(tool["parameters"] ?? tool["parameters_json_schema"]),
        })),
      ),
      items: contentsOf(body).flatMap(({ role, parts }, turn) =>
        parts.map((part, at) => itemOf(role, part, model, `${turn}/${at}`, parts)),
      ),
      generation: {
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: Number(maxOutputTokens) }),
        ...(temperature === undefined ? {} : { temperature: Number(temperature) }),
        ...(topP === undefined ? {} : { topP: Number(topP) }),
        ...(schema === undefined ? {} : { outputSchema: schemaOf(schema) }),
        ...toolChoiceOf(recordOf(functionCallingConfig)),
      },
    },
    options: {
      model,
      ...(recordOf(functionCallingConfig)["mode"] === "VALIDATED" ? { toolMode: "validated" } : {}),
      ...(thinkingConfig === undefined ? {} : { thinking: thinkingOf(thinkingConfig) }),
      extraBody: {
        tools: tools.filter((tool) => !("functionDeclarations" in tool)) as JsonValue,
        generationConfig: generationConfig as JsonValue,
        toolConfig: toolConfig as JsonValue,
      },
    },
  };
}

export interface WireContent {
  readonly role: string;
  readonly parts: readonly Json[];
}

/** The contents in one form: no `thought: false`, results as one text, data that was not shortened. */
export function contentsOf(body: Json): readonly WireContent[] {
  return (body["contents"] as readonly Json[]).map(({ role, parts }) => ({
    role: String(role),
    parts: (parts as readonly Json[]).map(withoutForm),
  }));
}

/** Generation settings and tool choice in one form. */
export function settingsOf(body: Json): unknown {
  const { responseSchema, responseJsonSchema, thinkingConfig, ...config } = recordOf(
    body["generationConfig"],
  );
  const schema = responseJsonSchema ?? responseSchema;
  return {
    ...config,
    schema: schema === undefined ? undefined : schemaOf(schema),
    thinking: thinkingOf(thinkingConfig),
    toolConfig: recordOf(body["toolConfig"]),
  };
}

/** Clients write the names of fields in either way. */
function thinkingOf(thinkingConfig: unknown): GeminiThinking {
  const config = recordOf(thinkingConfig);
  const { includeThoughts = config["include_thoughts"], thinkingBudget } = config;
  const { thinkingLevel = config["thinking_level"] } = config;
  const level = stringOf(thinkingLevel).toLowerCase();
  return {
    includeThoughts: includeThoughts === true,
    ...(typeof thinkingBudget === "number" ? { budgetTokens: thinkingBudget } : {}),
    ...(level === "" ? {} : { level: level as GeminiThinkingLevel }),
  };
}

function withoutForm({ thought, functionResponse, inlineData, ...part }: Json): Json {
  return {
    ...part,
    ...(thought === true ? { thought } : {}),
    ...(functionResponse === undefined
      ? {}
      : { functionResponse: withTextResponse(functionResponse as Json) }),
    ...(inlineData === undefined ? {} : { inlineData: withWholeData(inlineData as Json) }),
  };
}

function withTextResponse(functionResponse: Json): Json {
  const { output, result = output, ...others } = functionResponse["response"] as Json;
  const value = result ?? others;
  return {
    ...functionResponse,
    response: typeof value === "string" ? value : JSON.stringify(value),
  };
}

/** Long data is shortened in the recordings, and says so. */
function withWholeData({ mimeType, data }: Json): Json {
  return { mimeType, data: String(data).replace(/\.\.\.\[.*$/, "") };
}

function itemOf(
  role: string,
  part: Json,
  model: string,
  callId: string,
  siblings: readonly Json[],
): Item {
  const { text, functionCall, functionResponse, thoughtSignature } = part;
  const providerDataOf = (data: Json): { providerData?: ProviderData } =>
    Object.keys(data).length === 0
      ? {}
      : { providerData: { scheme: "gemini", model, data: data as JsonValue } };
  const signature = thoughtSignature === undefined ? {} : { thoughtSignature };
  if (functionCall !== undefined) {
    const { id, name, args } = functionCall as Json;
    return {
      type: "tool_call",
      callId,
      name: String(name),
      arguments: JSON.stringify(args),
      ...providerDataOf({ ...signature, ...(id === undefined ? {} : { id }) }),
    };
  }
  if (functionResponse !== undefined) {
    return {
      type: "tool_result",
      // Responses are in the order of the calls in the content before.
      callId: `${Number(callId.split("/")[0]) - 1}/${siblings.indexOf(part)}`,
      summary: String((functionResponse as Json)["response"]),
    };
  }
  if (role === "user") return { type: "message", role, content: [partOf(part)] };
  if (typeof text !== "string") throw new Error(`no word for ${Object.keys(part).join()}`);
  const content = [{ type: "text", text }] as const;
  return { type: "message", role: "assistant", content, ...providerDataOf(signature) };
}

function partOf({ text, inlineData, fileData }: Json): ContentPart {
  if (typeof text === "string") return { type: "text", text };
  if (fileData !== undefined) {
    const { fileUri, mimeType } = fileData as Json;
    return {
      type: "file",
      source: { type: "url", url: String(fileUri), mediaType: String(mimeType) },
    };
  }
  const { mimeType, data } = inlineData as Json;
  const source = { type: "base64", mediaType: String(mimeType), data: String(data) } as const;
  return { type: "file", source };
}

function toolChoiceOf({ mode, allowedFunctionNames }: Json): LlmRequest["generation"] {
  const [name] = listOf(allowedFunctionNames);
  if (typeof name === "string") return { toolChoice: { name } };
  if (mode === "AUTO") return { toolChoice: "auto" };
  if (mode === "ANY") return { toolChoice: "required" };
  return mode === "NONE" ? { toolChoice: "none" } : {};
}

/** Recorded schemas are in the dialect of `parameters`, with its types in capitals. */
function schemaOf(schema: unknown): JsonSchema {
  const json = JSON.stringify(schema).replaceAll(/"type":"([A-Z]+)"/g, (match) =>
    match.toLowerCase(),
  );
  return JSON.parse(json) as JsonSchema;
}

function recordOf(value: unknown): Json {
  return (value ?? {}) as Json;
}

function withoutNulls(record: Json): Json {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
