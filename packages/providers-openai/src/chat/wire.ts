import { type FieldTree, fieldTree, type JsonSchema, type StopReason } from "llm-worker";

/** Name of the scheme: the label in `ProviderData`. */
export const SCHEME_NAME = "openai-chat";

/** What differs from one chunk of an answer to the next. */
export const CHUNK_FIELDS: FieldTree = fieldTree({
  kept: [
    ["choices", 0, "delta", "content"],
    ["choices", 0, "delta", "refusal"],
    ["choices", 0, "delta", "reasoning_content"],
    ["choices", 0, "delta", "reasoning"],
    ["choices", 0, "delta", "reasoning_details", 0, "text"],
    ["choices", 0, "delta", "tool_calls", 0, "function", "arguments"],
  ],
  unseen: [["created"], ["obfuscation"]],
});

/** A part of a user message. Source: openai `ChatCompletionContentPart`. */
export type ChatContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | {
      readonly type: "input_audio";
      readonly input_audio: { readonly data: string; readonly format: "wav" | "mp3" };
    }
  | {
      readonly type: "file";
      readonly file: { readonly filename: string; readonly file_data: string };
    };

export interface ChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    readonly strict?: true | undefined;
  };
}

export type ChatToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/**
 * Where a server puts reasoning (C7). It goes back in the field in which it came: `content` is
 * Mistral's way, parts of type `thinking` among the content.
 */
export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number] | "reasoning_details" | "content";

/** Finish reasons. Source: openai `ChatCompletionChunk`; then words of compatible servers. */
export const KNOWN_FINISH_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "content_filter",
  eos: "end",
  end_turn: "end",
  max_tokens: "max_tokens",
  model_length: "context_window",
  error: "error",
};
