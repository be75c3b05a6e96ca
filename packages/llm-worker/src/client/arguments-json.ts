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
  return replaceLoneSurrogates(trimmed);
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

/** An escaped backslash, an escaped pair, or an escaped half of one: only the last is replaced. */
const SURROGATE_ESCAPE =
  /\\\\|\\u[dD][89aAbB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}/g;

/** Servers refuse a whole request for half a character, escaped or not. */
function replaceLoneSurrogates(json: string): string {
  const wellFormed = json.toWellFormed();
  if (!wellFormed.includes("\\u")) return wellFormed;
  return wellFormed.replace(SURROGATE_ESCAPE, (match) => (match.length === 6 ? "\uFFFD" : match));
}
