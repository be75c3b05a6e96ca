/** A request of generateContent after `checkRequest`: what this server reads of it. */
export interface GenerateRequest {
  readonly contents: readonly Content[];
  readonly systemInstruction?: { readonly parts: readonly Part[] } | undefined;
  readonly tools?: readonly ToolParam[] | undefined;
  readonly toolConfig?: { readonly functionCallingConfig?: CallingConfig | undefined } | undefined;
  readonly generationConfig?: GenerationConfig | undefined;
  readonly cachedContent?: string | undefined;
}

/** One turn of either side. */
export interface Content {
  readonly role?: "user" | "model" | undefined;
  readonly parts: readonly Part[];
}

/** A part of a turn: text, a call, a response, or media, which are not looked at. */
export interface Part {
  readonly text?: string | undefined;
  readonly thought?: boolean | undefined;
  readonly thoughtSignature?: string | undefined;
  readonly functionCall?: FunctionCall | undefined;
  readonly functionResponse?: FunctionResponse | undefined;
}

/** A call that an earlier answer made. */
export interface FunctionCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** What came of a call. */
export interface FunctionResponse {
  readonly id?: string | undefined;
  readonly name: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** Declared functions, or a tool that the provider runs. */
export interface ToolParam {
  readonly functionDeclarations?: readonly FunctionDeclaration[] | undefined;
}

/** A function as it is declared, by one of two kinds of schema. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

/** Whether a function is to be called, and which. */
export interface CallingConfig {
  readonly mode?: "MODE_UNSPECIFIED" | "AUTO" | "ANY" | "NONE" | "VALIDATED" | undefined;
  readonly allowedFunctionNames?: readonly string[] | undefined;
}

/** What the answer is to be like. */
export interface GenerationConfig {
  readonly maxOutputTokens?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly thinkingConfig?: ThinkingConfig | undefined;
}

/** How to think, and whether a summary of it is shown. */
export interface ThinkingConfig {
  readonly includeThoughts?: boolean | undefined;
  readonly thinkingBudget?: number | undefined;
  readonly thinkingLevel?: string | undefined;
}

/** All functions that a request declares. */
export function declaredFunctions({ tools = [] }: GenerateRequest): readonly FunctionDeclaration[] {
  return tools.flatMap((tool) => tool.functionDeclarations ?? []);
}
