import { wellFormedJson } from "./well-formed-json.js";

/** The field that carries arguments which are not a JSON object. */
export const RAW_ARGUMENTS_FIELD = "_raw";

/**
 * The arguments of a call as the text of a JSON object, for wires that want one: the model's own
 * text, byte for byte, if it is one; `{}` for none; otherwise `{"_raw": "…"}`, so that the model
 * sees what it wrote beside the error that it got for it.
 */
export function argumentsJson(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "{}";
  if (!isJsonObject(trimmed)) return JSON.stringify({ [RAW_ARGUMENTS_FIELD]: text.toWellFormed() });
  return wellFormedJson(trimmed);
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
