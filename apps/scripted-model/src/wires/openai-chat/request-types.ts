import type { FunctionDeclaration } from "../openai/check-function.js";

/** A request of Chat Completions after `checkRequest`: what this server reads of it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolParam[] | null | undefined;
  readonly tool_choice?: ToolChoiceParam | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly max_completion_tokens?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly reasoning_effort?: string | null | undefined;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly prompt_cache_key?: string | null | undefined;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?: StreamOptions | null | undefined;
}

/** What a stream carries beside the answer. */
export interface StreamOptions {
  readonly include_usage?: boolean | undefined;
  readonly include_obfuscation?: boolean | undefined;
}

/** A tool as it is declared; `function` is absent for other kinds, which this server never calls. */
export interface ToolParam {
  readonly type: string;
  readonly function?: FunctionDeclaration | undefined;
}

/** Whether a tool is to be called, and which. */
export type ToolChoiceParam =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } }
  | {
      readonly type: "allowed_tools";
      readonly allowed_tools: {
        readonly mode: "auto" | "required";
        readonly tools: readonly { readonly function?: { readonly name: string } }[];
      };
    }
  | { readonly type: "custom" };

/** One message, told apart by its role. */
export type Message =
  | { readonly role: "system" | "developer" | "user"; readonly content: Content }
  | AssistantMessage
  | ToolMessage;

/** An earlier answer. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content?: Content | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly ToolCallParam[] | null | undefined;
}

/** A call that an earlier answer made. */
export interface ToolCallParam {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What came of a call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: Content;
}

/** Plain text, or parts of which only the text is read. */
export type Content = string | readonly ContentPart[];

/** A part of a message. */
export interface ContentPart {
  readonly type: string;
  readonly text?: string | undefined;
}

/** The text of a message. */
export function textOf(content: Content | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
