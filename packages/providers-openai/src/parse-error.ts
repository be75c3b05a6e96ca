import {
  codeOfStatus,
  httpStatusError,
  LlmError,
  type LlmErrorCode,
  readErrorBody,
  readErrorValue,
  type ResponseHeaders,
} from "llm-worker";

/** Words of `code` and `type` that say more than the status does. Source: docs "Error codes". */
const KNOWN_ERROR_CODES: Readonly<Record<string, LlmErrorCode>> = {
  invalid_api_key: "auth",
  authentication_error: "auth",
  insufficient_quota: "permission",
  billing_hard_limit_reached: "permission",
  model_not_found: "not_found",
  previous_response_not_found: "not_found",
  rate_limit_exceeded: "rate_limited",
  rate_limit_error: "rate_limited",
  context_length_exceeded: "context_too_long",
  string_above_max_length: "context_too_long",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  server_error: "server",
  internal_server_error: "server",
  overloaded_error: "overloaded",
  server_is_overloaded: "overloaded",
  service_unavailable: "overloaded",
  slow_down: "overloaded",
  timeout: "timeout",
  // Words of compatible servers: Perplexity, llama.cpp.
  too_many_prompt_tokens: "context_too_long",
  exceed_context_size_error: "context_too_long",
};

/** Only where there is no status: with one it says more. */
const INVALID_REQUEST_TYPE = "invalid_request_error";

const CONTEXT_TOO_LONG =
  /(prompt|input|message)s?\b.{0,40}\btoo (long|large)|maximum context|context (length|window|size)/i;
/** xAI answers 400 to a wrong key. */
const WRONG_KEY = /incorrect api key/i;

/** A failed answer, `{error: {message, type, code}}` or whatever came instead. */
export function parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
  const { type, code, message } = readErrorBody(body);
  const known = knownCode(code, type) ?? codeOfMessage(status, message);
  return httpStatusError(status, body, headers, { code: known });
}

/** An error that came inside a stream or in a 200 answer: its code may be a status (F14, C16). */
export function parseErrorEvent(value: unknown): LlmError {
  const { type, code, message } = readErrorValue(value);
  const status = statusIn(code);
  const known =
    knownCode(code, type) ??
    codeOfMessage(status ?? (type === INVALID_REQUEST_TYPE ? 400 : 500), message) ??
    (status === undefined ? undefined : codeOfStatus(status)) ??
    (type === INVALID_REQUEST_TYPE ? "invalid_request" : "server");
  return new LlmError(known, message ?? "the server reported an error", {
    providerType: type ?? code,
  });
}

function knownCode(...words: readonly (string | undefined)[]): LlmErrorCode | undefined {
  for (const word of words) {
    if (word !== undefined && Object.hasOwn(KNOWN_ERROR_CODES, word)) {
      return KNOWN_ERROR_CODES[word];
    }
  }
  return undefined;
}

/** Too long a prompt and a wrong key often have no word of their own. */
function codeOfMessage(status: number, message = ""): LlmErrorCode | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (CONTEXT_TOO_LONG.test(message)) return "context_too_long";
  return WRONG_KEY.test(message) ? "auth" : undefined;
}

function statusIn(code: string | undefined): number | undefined {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}
