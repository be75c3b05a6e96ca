import { toolResultText, type ToolResultItem } from "../model/item.js";

/** An error without a message, told to the model. */
export const SILENT_ERROR_TEXT = "The tool failed without a message.";

/**
 * The text of a tool result for wires that have no error flag: an error says so in its first word.
 * Blank for a result without text.
 */
export function flaggedResultText(item: ToolResultItem): string {
  const text = toolResultText(item).toWellFormed();
  if (item.isError !== true) return text;
  if (text.trim() === "") return `Error: ${SILENT_ERROR_TEXT}`;
  return /^\s*\W?error/i.test(text) ? text : `Error: ${text}`;
}
