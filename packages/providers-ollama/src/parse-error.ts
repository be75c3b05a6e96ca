import {
  codeOfStatus,
  httpStatusError,
  LlmError,
  type LlmErrorCode,
  readErrorBody,
  readErrorValue,
  type ResponseHeaders,
} from "llm-worker";

/** Errors have no type on this wire, only words. */
const CONTEXT_TOO_LONG =
  /exceeds? (the |available |maximum )*context|prompt (is )?too long|context (length|size|window) exceeded/i;

/** A failed answer, `{error: "text"}` or whatever came instead. */
export function parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
  const { message } = readErrorBody(body);
  if (isTooLong(message)) {
    // Some versions report it as their own fault (500): sending it again would not help.
    return httpStatusError(status, body, headers, { code: "context_too_long", retryable: false });
  }
  return httpStatusError(status, body, headers);
}

/** An error that came as a line of a stream or in a 200 answer (L4): it has no status of its own. */
export function parseErrorEvent(value: unknown): LlmError {
  const { message, type, code } = readErrorValue(value);
  return new LlmError(codeOf(message, code), message ?? "the server reported an error", {
    providerType: type ?? code,
  });
}

function codeOf(message: string | undefined, code: string | undefined): LlmErrorCode {
  if (isTooLong(message)) return "context_too_long";
  const status = Number(code);
  return status >= 400 && status < 600 ? codeOfStatus(status) : "server";
}

function isTooLong(message: string | undefined): boolean {
  return CONTEXT_TOO_LONG.test(message ?? "");
}
