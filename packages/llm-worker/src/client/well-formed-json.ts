/** An escaped backslash, an escaped pair, or an escaped half of one: only the last is replaced. */
const SURROGATE_ESCAPE =
  /\\\\|\\u[dD][89aAbB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}/g;

/**
 * A JSON text with U+FFFD in the place of each half character, escaped or not: servers refuse a whole
 * request for one. For what comes from elsewhere: tools' schemas, a server's own data, addresses.
 */
export function wellFormedJson(json: string): string {
  const wellFormed = json.toWellFormed();
  if (!wellFormed.includes("\\u")) return wellFormed;
  return wellFormed.replace(SURROGATE_ESCAPE, (match) => (match.length === 6 ? "\uFFFD" : match));
}

/** {@link wellFormedJson} of a value whose texts have not been made well-formed before. */
export function foreignJson(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}
