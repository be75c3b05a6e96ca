import { type FieldTree, fieldTree, type JsonSchema, type StopReason } from "llm-worker";

/** Name of the scheme: the label in `ProviderData`. */
export const SCHEME_NAME = "openai-responses";

/** What differs from one delta event to the next. */
export const DELTA_FIELDS: FieldTree = fieldTree({
  kept: [["delta"]],
  unseen: [["sequence_number"], ["obfuscation"]],
});

/** A part of a user message or of a tool's result. Source: openai `ResponseInputContent`. */
export type InputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string }
  | { readonly type: "input_file"; readonly file_url: string };

export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Always said: left out, this API makes the schema strict on its own. */
  readonly strict: boolean;
}

export type ResponsesToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly name: string };

/** Why a response is incomplete. Source: openai `Response.IncompleteDetails`. */
export const KNOWN_INCOMPLETE_REASONS: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "max_tokens",
  content_filter: "content_filter",
};

/** What ids of the API begin with, by type of item; other ids are refused (R5). */
export const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

/** Longest id of an item. */
export const MAX_ITEM_ID_CHARS = 64;

/**
 * Calls that the client has to answer and that the neutral model has no word for: without an output
 * they are refused (R8), so they are kept in the history but not sent.
 */
export const CLIENT_CALL_TYPES: ReadonlySet<string> = new Set([
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
]);

/** The fields that an item may have as input, where the API gives more than it takes back. */
export const INPUT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  image_generation_call: ["type", "id", "status", "result"],
};
