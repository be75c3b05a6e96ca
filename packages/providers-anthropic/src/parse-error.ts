import {
  httpStatusError,
  LlmError,
  type LlmErrorCode,
  readErrorBody,
  readErrorValue,
  type ResponseHeaders,
} from "llm-worker";
import { KNOWN_ERROR_TYPES } from "./wire.js";

/** Too long a prompt has no type of its own on this wire. */
const CONTEXT_TOO_LONG =
  /prompt is too long|exceeds? (the )?(context|maximum)[^.]*(limit|window|length|size)/i;

/** A failed answer, `{type: "error", error: {type, message}}` or whatever came instead. */
export function parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
  const { type, message } = readErrorBody(body);
  return httpStatusError(status, body, headers, { code: codeOf(type, message) });
}

/** An error that came inside a stream or in a 200 answer: it has no status of its own. */
export function parseErrorEvent(value: unknown): LlmError {
  const { type, message } = readErrorValue(value);
  return new LlmError(
    codeOf(type, message) ?? "server",
    message ?? "the server reported an error",
    {
      providerType: type,
    },
  );
}

function codeOf(type: string | undefined, message: string | undefined): LlmErrorCode | undefined {
  const code = type !== undefined && isKnown(type) ? KNOWN_ERROR_TYPES[type] : undefined;
  const isTooLong = code === "invalid_request" && CONTEXT_TOO_LONG.test(message ?? "");
  return isTooLong ? "context_too_long" : code;
}

function isKnown(type: string): type is keyof typeof KNOWN_ERROR_TYPES {
  return Object.hasOwn(KNOWN_ERROR_TYPES, type);
}
