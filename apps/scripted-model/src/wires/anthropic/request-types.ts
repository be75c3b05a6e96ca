import type { CacheLifetime } from "../../prompt-cache.js";

/** A request of the Messages API after `checkRequest`: what this server reads of it. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly Message[];
  readonly system?: string | readonly TextBlock[] | undefined;
  readonly tools?: readonly ToolParam[] | undefined;
  readonly tool_choice?: ToolChoiceParam | undefined;
  readonly thinking?: ThinkingParam | undefined;
  readonly stop_sequences?: readonly string[] | undefined;
  readonly cache_control?: CacheControl | null | undefined;
  readonly stream?: boolean | undefined;
}

/** One message; its content may be plain text. */
export interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly Block[];
}

/** A mark: the prompt up to and with its place is to be cached. */
export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: CacheLifetime | undefined;
}

/** A tool as it is declared. */
export interface ToolParam {
  /** Absent or `custom` for a tool of the caller's own; else one that the provider runs. */
  readonly type?: string | null | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly input_schema?: unknown;
  readonly cache_control?: CacheControl | null | undefined;
}

/** Whether a tool is to be called, and which. */
export interface ToolChoiceParam {
  readonly type: "auto" | "any" | "tool" | "none";
  readonly name?: string | undefined;
  readonly disable_parallel_tool_use?: boolean | undefined;
}

/** Whether thinking goes before the answer, and whether it is shown. */
export interface ThinkingParam {
  readonly type: "enabled" | "disabled" | "adaptive" | "between_tools";
  readonly budget_tokens?: number | undefined;
  readonly display?: "summarized" | "omitted" | null | undefined;
}

/** A content block that may be sent. */
export type Block = (
  | TextBlock
  | ThinkingBlock
  | { readonly type: "redacted_thinking"; readonly data: string }
  | ToolUseBlock
  | ToolResultBlock
  | { readonly type: "image" | "document" | "search_result" }
) & { readonly cache_control?: CacheControl | null | undefined };

/** Text of either side. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: CacheControl | null | undefined;
}

/** Thinking of an earlier answer, come back. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

/** A call that an earlier answer made. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What came of a call. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly Block[] | undefined;
  readonly is_error?: boolean | undefined;
}

/** The blocks of a message; a plain string is one text block. */
export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The messages without those of the role `system`, neighbours of one role as one message. */
export function mergeMessages(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const previous = merged.at(-1);
    if (previous?.role !== message.role) merged.push(message);
    else {
      const content = [...blocksOf(previous.content), ...blocksOf(message.content)];
      merged[merged.length - 1] = { role: message.role, content };
    }
  }
  return merged;
}
