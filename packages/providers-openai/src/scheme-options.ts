import type { JsonValue } from "llm-worker";
import type { OutputSchemaMode, StrictTools } from "./tools.js";

/** How much a model reasons; what a model takes differs. */
export type OpenAIEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** How much a model says. */
export type OpenAIVerbosity = "low" | "medium" | "high";

/** What both schemes are told once and say in every request. Nothing is sent that is not set. */
export interface OpenAISchemeOptions {
  readonly model: string;
  /** Where the request names none. Default: the server's. */
  readonly maxOutputTokens?: number | undefined;
  readonly effort?: OpenAIEffort | undefined;
  readonly verbosity?: OpenAIVerbosity | undefined;
  /** Tools whose arguments the server holds to their schema. Default: none. */
  readonly strictTools?: StrictTools | undefined;
  /** `"loose"` sends `outputSchema` as it is and not as strict. Default `"strict"`. */
  readonly outputSchemaMode?: OutputSchemaMode | undefined;
  /** `prompt_cache_key`: groups requests that begin alike, so that they meet the same cache. */
  readonly promptCacheKey?: string | undefined;
  /** Fields put into every request body; they win over ours. */
  readonly extraBody?: Readonly<Record<string, JsonValue>> | undefined;
}
