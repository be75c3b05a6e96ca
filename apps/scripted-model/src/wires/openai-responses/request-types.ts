import type { FunctionDeclaration } from "../openai/check-function.js";

/** A request of the Responses API after `checkRequest`: what this server reads of it. */
export interface ResponsesRequest {
  readonly model: string;
  readonly input: string | readonly InputItem[];
  readonly instructions?: string | null | undefined;
  readonly tools?: readonly ToolParam[] | null | undefined;
  readonly tool_choice?: ToolChoiceParam | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly max_output_tokens?: number | null | undefined;
  readonly reasoning?: ReasoningParam | null | undefined;
  readonly include?: readonly string[] | null | undefined;
  readonly store?: boolean | null | undefined;
  readonly previous_response_id?: string | null | undefined;
  readonly conversation?: unknown;
  readonly background?: boolean | null | undefined;
  readonly prompt_cache_key?: string | null | undefined;
  readonly stream?: boolean | null | undefined;
  readonly stream_options?:
    | { readonly include_obfuscation?: boolean | undefined }
    | null
    | undefined;
  readonly text?: Readonly<Record<string, unknown>> | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly truncation?: string | null | undefined;
}

/** How to reason, and whether a summary of it is shown. */
export interface ReasoningParam {
  readonly effort?: string | null | undefined;
  readonly summary?: string | null | undefined;
}

/** A tool as it is declared. Only those of the type `function` are ever called. */
export type ToolParam = { readonly type: string } & Partial<FunctionDeclaration>;

/** Whether a tool is to be called, and which. */
export type ToolChoiceParam =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly name: string }
  | {
      readonly type: "allowed_tools";
      readonly mode: "auto" | "required";
      readonly tools: readonly { readonly name?: string }[];
    }
  | { readonly type: "other" };

/** One item of the input. A message may come without its type. */
export type InputItem = MessageItem | ReasoningItem | CallItem | OutputItem | OtherItem;

/** Something that was said. */
export interface MessageItem {
  readonly type?: "message" | undefined;
  readonly id?: string | null | undefined;
  readonly role: "user" | "assistant" | "system" | "developer";
  readonly content: Content;
}

/** Reasoning of an earlier answer, come back. */
export interface ReasoningItem {
  readonly type: "reasoning";
  readonly id: string;
  readonly summary: readonly { readonly text: string }[];
  readonly encrypted_content?: string | null | undefined;
}

/** A call that an earlier answer made. */
export interface CallItem {
  readonly type: "function_call";
  readonly id?: string | null | undefined;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What came of a call. */
export interface OutputItem {
  readonly type: "function_call_output";
  readonly id?: string | null | undefined;
  readonly call_id: string;
  readonly output: Content;
}

/** An item of a tool that the provider runs; taken as it is. */
export interface OtherItem {
  readonly type: "other";
  readonly id?: string | null | undefined;
}

/** Plain text, or parts of which only the text is read. */
export type Content = string | readonly { readonly type: string; readonly text?: string }[];

/** The text of a message or result. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => part.text ?? "").join("");
}

/** The input as items; a plain string is one message of the user. */
export function itemsOf(input: ResponsesRequest["input"]): readonly InputItem[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}
