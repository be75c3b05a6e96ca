import { isObject } from "../json.js";

/** The body of a request is not JSON as the providers take it. */
export class BodyError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "BodyError";
  }
}

/**
 * Parses JSON in valid UTF-8 without half surrogate pairs: the providers take nothing else.
 *
 * @throws BodyError whose message is the reason
 */
export function parseBody(bytes: Uint8Array): unknown {
  const body = parseJson(decode(bytes));
  if (!hasWholeCharacters(body)) throw new BodyError("no low surrogate in string");
  return body;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new BodyError("not UTF-8", { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BodyError("syntax error", { cause: error });
  }
}

/** Whether no string in a JSON value holds half of a surrogate pair. */
function hasWholeCharacters(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(hasWholeCharacters);
  if (!isObject(value)) return true;
  return Object.entries(value).every(
    ([key, part]) => key.isWellFormed() && hasWholeCharacters(part),
  );
}
