/**
 * Base of every error this package throws: `code` for machines, `cause` for the origin,
 * a message that names the next step. No error carries a key, a prompt or a payload.
 */
export abstract class LlmWorkerError extends Error {
  abstract readonly code: string;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A limit has a value that cannot be kept. */
export class OutputLimitsError extends LlmWorkerError {
  readonly code = "invalid_limits";
}

/** Ends a switch: a new member of the union becomes a compile error here. */
export function unreachable(value: never): never {
  throw new TypeError(`unhandled: ${JSON.stringify(value)}`);
}

/**
 * Whether a value is an error, of whatever realm: code run in `node:vm` throws errors of its own, and
 * in such code, Jest's tests for instance, those of Node itself are of another.
 */
export function isError(value: unknown): value is Error {
  return (
    value instanceof Error ||
    /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
  );
}

/**
 * The text of anything that was thrown, for messages and logs.
 * Never throws itself, whatever was thrown.
 */
export function errorMessage(thrown: unknown): string {
  try {
    // Whatever the types say, a message may be anything too.
    if (isError(thrown)) return errorMessage(thrown.message || thrown.name);
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return "unknown error";
  }
}

/** How many causes of causes are told, and how many of one error. */
const MAX_CAUSES = 4;

/**
 * The text of what a tool has thrown, with what caused it: `fetch failed` alone tells a model nothing,
 * `fetch failed (connect ECONNREFUSED 127.0.0.1:80)` does. Never throws itself.
 */
export function failureText(thrown: unknown, depth = 0): string {
  const message = errorMessage(thrown);
  if (depth === MAX_CAUSES) return message;
  const causes = causesOf(thrown)
    .map((cause) => failureText(cause, depth + 1))
    .filter((text) => !message.includes(text));
  return causes.length === 0 ? message : `${message} (${causes.join("; ")})`;
}

function causesOf(thrown: unknown): readonly unknown[] {
  try {
    if (!isError(thrown)) return [];
    if ("errors" in thrown && Array.isArray(thrown.errors)) {
      return thrown.errors.slice(0, MAX_CAUSES);
    }
    return thrown.cause === undefined ? [] : [thrown.cause];
  } catch {
    return [];
  }
}
