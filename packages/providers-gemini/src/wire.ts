import { type FieldTree, fieldTree, type JsonSchema } from "llm-worker";

/** Name of the scheme: the label in `ProviderData`. */
export const SCHEME_NAME = "gemini";

/** What differs from one chunk of an answer to the next. */
export const CHUNK_FIELDS: FieldTree = fieldTree({
  kept: [
    ["candidates", 0, "content", "parts", 0, "text"],
    ["usageMetadata", "promptTokenCount"],
    ["usageMetadata", "candidatesTokenCount"],
    ["usageMetadata", "thoughtsTokenCount"],
    ["usageMetadata", "totalTokenCount"],
  ],
});

/** The API version in the path by default. */
export const DEFAULT_API_VERSION = "v1beta";

/**
 * Stands in for the signature of a call that another model or provider made: Gemini 3 and later
 * refuse a call without one (G5). Source: docs "Thought signatures".
 */
export const STAND_IN_SIGNATURE = "skip_thought_signature_validator";

/** How hard the model thinks, for models since Gemini 3; which levels a model takes differs. */
export type GeminiThinkingLevel = "minimal" | "low" | "medium" | "high" | "xhigh";

/** How the model thinks: by level (since Gemini 3) or by budget (Gemini 2.5), not by both. */
export interface GeminiThinking {
  readonly level?: GeminiThinkingLevel | undefined;
  /** 0 turns thinking off, -1 lets the model choose; what a model takes differs. */
  readonly budgetTokens?: number | undefined;
  /** `true` asks for readable summaries of what the model thought. */
  readonly includeThoughts?: boolean | undefined;
}

export type MediaData =
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly fileData: { readonly fileUri: string; readonly mimeType?: string } };

export interface TextPart {
  readonly text: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
}

export interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  /** By convention one of the keys `output` and `error`. */
  readonly response: { readonly output: string } | { readonly error: string };
  readonly parts?: readonly MediaData[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: JsonSchema;
}

export interface FunctionCallingConfig {
  readonly mode: "AUTO" | "ANY" | "NONE" | "VALIDATED";
  readonly allowedFunctionNames?: readonly string[];
}

/** Finish reasons. Source: SDK `FinishReason`; others are reported as they are. */
export const KNOWN_FINISH_REASONS = {
  STOP: "end",
  MAX_TOKENS: "max_tokens",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MODEL_ARMOR: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  MALFORMED_RESPONSE: "error",
  MISSING_THOUGHT_SIGNATURE: "error",
  TOO_MANY_TOOL_CALLS: "error",
  UNEXPECTED_TOOL_CALL: "error",
} as const;

/** `error.status` and what it is in the common taxonomy. Source: google.rpc.Code. */
export const KNOWN_ERROR_STATUSES = {
  INVALID_ARGUMENT: "invalid_request",
  FAILED_PRECONDITION: "invalid_request",
  OUT_OF_RANGE: "invalid_request",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "permission",
  NOT_FOUND: "not_found",
  RESOURCE_EXHAUSTED: "rate_limited",
  ABORTED: "server",
  CANCELLED: "server",
  DATA_LOSS: "server",
  INTERNAL: "server",
  UNKNOWN: "server",
  UNAVAILABLE: "overloaded",
  DEADLINE_EXCEEDED: "timeout",
} as const;

/**
 * Whether a model is known to be older than Gemini 3: it has no stand-in signatures and no media in
 * function responses. Names that say no version (`gemini-flash-latest`) are of current models.
 */
export function isBeforeGemini3(model: string): boolean {
  return /\b(gemini-[12]\b|gemma)/i.test(model);
}
