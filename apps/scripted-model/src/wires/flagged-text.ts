import type { ToolResult } from "../model-view.js";

const ERROR_PREFIX = /^Error: /u;
const INSPECT_ERROR = /^inspect error \(/u;

/**
 * A result of a wire that has no error flag: clients say in words that a tool has failed, with
 * `Error: ` in front, and that is all a model has to go by.
 */
export function readFlaggedText(flagged: string): ToolResult {
  const text = flagged.replace(ERROR_PREFIX, "");
  return { text, isError: text !== flagged || INSPECT_ERROR.test(flagged) };
}
