/** An object of unknown fields: all that is assumed of what a server sends. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields: no array, no `null`. */
export function isRecord(value: unknown): value is WireRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is a string, else `""`. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value if it is a number, else `undefined`. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** The value if it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : EMPTY;
}

const EMPTY: readonly unknown[] = Object.freeze([]);

/**
 * Whether a text begins like a JSON object, white space before it or not. What does not is no event of
 * any wire: `[DONE]`, a keep-alive and the like.
 */
export function beginsLikeObject(text: string): boolean {
  return text.charCodeAt(0) === BRACE || /^\s+\{/.test(text);
}

const BRACE = 123;

/**
 * The JSON text of arguments as a server sent them: as such a text, or as the value itself; `""` for
 * none, which some write as an empty object or list. Of those that are nested too deep to be written it is no
 * JSON, so that the call is answered as one that cannot be read.
 */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "object" && Object.keys(value).length === 0) return "";
  try {
    return JSON.stringify(value);
  } catch {
    return "[nested too deep to be read]";
  }
}

/** What a JSON text says, `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
