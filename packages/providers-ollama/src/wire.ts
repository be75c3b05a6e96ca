import { type FieldTree, fieldTree } from "llm-worker";

/** Name of the scheme: the label in `ProviderData`. */
export const SCHEME_NAME = "ollama";

/** What differs from one line of an answer to the next. */
export const LINE_FIELDS: FieldTree = fieldTree({
  kept: [
    ["message", "content"],
    ["message", "thinking"],
  ],
  seen: [["created_at"]],
});

/**
 * Whether, or how hard, the model thinks before it answers. Source: docs "Thinking"; which of these a
 * model takes differs, and one that cannot think refuses the request.
 */
export type OllamaThink = boolean | "low" | "medium" | "high" | "max";

/** Image data that the server decodes. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp"]);

/** Stop reasons. Source: server `DoneReason`; others are reported as they are. */
export const KNOWN_DONE_REASONS = {
  stop: "end",
  length: "max_tokens",
  load: "load",
  unload: "load",
} as const;
