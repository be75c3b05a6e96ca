import { type FieldTree, fieldTree, type JsonSchema, type JsonValue } from "llm-worker";

/** Name of the scheme: the label in `ProviderData`. */
export const SCHEME_NAME = "anthropic";

/** What differs from one delta event to the next. */
export const DELTA_FIELDS: FieldTree = fieldTree({
  kept: [
    ["delta", "text"],
    ["delta", "thinking"],
    ["delta", "partial_json"],
  ],
});

/** The API version sent by default. Source: docs "Versions". */
export const DEFAULT_VERSION = "2026-10-21";

/** The last version that takes `temperature` and `top_p`. */
export const SAMPLING_VERSION = "2023-06-01";

/** How the model may think. Source: docs "Extended thinking"; what a model takes differs. */
export type AnthropicThinking =
  | { readonly type: "adaptive"; readonly display?: ThinkingDisplay | undefined }
  | {
      readonly type: "enabled";
      /** At least 1024 and below the output limit. */
      readonly budgetTokens: number;
      readonly display?: ThinkingDisplay | undefined;
    }
  | { readonly type: "disabled" }
  | { readonly type: "between_tools" };

/** Whether thinking comes as readable text or as a signature only. */
export type ThinkingDisplay = "summarized" | "omitted";

/** How much work the model puts in (`output_config.effort`); what a model takes differs. */
export type AnthropicEffort = "low" | "medium" | "high" | "xhigh" | "max";

/** How long the server keeps a cached prefix. */
export type CacheTtl = "5m" | "1h";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly citations?: JsonValue | undefined;
}

export type MediaBlock =
  | { readonly type: "image"; readonly source: WireSource }
  | { readonly type: "document"; readonly source: WireSource; readonly title?: string | undefined };

export type WireSource =
  | { readonly type: "base64"; readonly media_type: string; readonly data: string }
  | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
  | { readonly type: "url"; readonly url: string };

export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

export type WireToolChoice =
  | {
      readonly type: "auto" | "any";
      readonly disable_parallel_tool_use?: true | undefined;
    }
  | {
      readonly type: "tool";
      readonly name: string;
      readonly disable_parallel_tool_use?: true | undefined;
    }
  | { readonly type: "none" };

/** Stop reasons. Source: SDK `StopReason`; others are reported as they are. */
export const KNOWN_STOP_REASONS = {
  end_turn: "end",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  tool_use: "tool_use",
  pause_turn: "pause",
  refusal: "refusal",
  model_context_window_exceeded: "context_window",
} as const;

/** Error types and what they are in the common taxonomy. Source: docs "Errors". */
export const KNOWN_ERROR_TYPES = {
  invalid_request_error: "invalid_request",
  authentication_error: "auth",
  billing_error: "permission",
  permission_error: "permission",
  not_found_error: "not_found",
  request_too_large: "context_too_long",
  rate_limit_error: "rate_limited",
  api_error: "server",
  timeout_error: "timeout",
  overloaded_error: "overloaded",
  // llama.cpp's server on the same wire.
  exceed_context_size_error: "context_too_long",
} as const;
