import type { JsonValue } from "../blob/content.js";
import type { Item } from "./item.js";

/** JSON Schema 2020-12 as a plain object. */
export type JsonSchema = { readonly [key: string]: JsonValue };

/** What the model is told of a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** Schema of the arguments; its root is an object. */
  readonly inputSchema: JsonSchema;
}

/** Whether the model may call tools, must not, must, or must call this one. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** What is sent only when asked for: a field that is absent does not appear on the wire. */
export interface GenerationOptions {
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** `false`: at most one tool call in a turn, where the wire can say so. */
  readonly parallelToolCalls?: boolean | undefined;
  /** The answer must be JSON of this schema, where the wire has it. */
  readonly outputSchema?: JsonSchema | undefined;
}

/** One model call in neutral terms. */
export interface LlmRequest {
  readonly systemPrompt?: string | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly items: readonly Item[];
  readonly generation?: GenerationOptions | undefined;
  /**
   * The first `lockedItemCount` items, the tools and the system prompt are the locked prefix: their
   * serialised bytes are the same in every request, and a cache breakpoint belongs at their end.
   */
  readonly lockedItemCount?: number | undefined;
}
