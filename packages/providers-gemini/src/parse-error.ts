import {
  httpStatusError,
  isRecord,
  listOf,
  LlmError,
  type LlmErrorCode,
  parseJson,
  readErrorBody,
  readErrorValue,
  type ResponseHeaders,
  retryAfterMs,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { KNOWN_ERROR_STATUSES } from "./wire.js";

/** Too long a prompt has no status of its own on this wire. */
const CONTEXT_TOO_LONG =
  /(token count|number of tokens)[^.]*exceeds?|exceeds? (the )?(context|maximum number of tokens)/i;

/** A failed answer, `{error: {code, message, status, details}}` or whatever came instead. */
export function parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
  const { type, message } = readErrorBody(body);
  const details = detailsOf(parseJson(body));
  return httpStatusError(status, body, headers, {
    code: codeOf(type, message, details),
    // Headers say nothing of it on this wire, the body does (G13).
    retryAfterMs: retryAfterMs(headers) ?? retryDelayMs(details),
  });
}

/** An error that came inside a stream or in a 200 answer: it has no status of its own. */
export function parseErrorEvent(value: unknown): LlmError {
  const { type, message } = readErrorValue(value);
  const details = detailsOf(value);
  return new LlmError(
    codeOf(type, message, details) ?? "server",
    message ?? "the server reported an error",
    { providerType: type, retryAfterMs: retryDelayMs(details) },
  );
}

function codeOf(
  status: string | undefined,
  message: string | undefined,
  details: readonly WireRecord[],
): LlmErrorCode | undefined {
  const code = status !== undefined && isKnown(status) ? KNOWN_ERROR_STATUSES[status] : undefined;
  if (code !== "invalid_request") return code;
  // A bad key is an invalid argument to this server.
  if (details.some(({ reason }) => reason === "API_KEY_INVALID")) return "auth";
  return CONTEXT_TOO_LONG.test(message ?? "") ? "context_too_long" : code;
}

function isKnown(status: string): status is keyof typeof KNOWN_ERROR_STATUSES {
  return Object.hasOwn(KNOWN_ERROR_STATUSES, status);
}

/** `google.rpc.RetryInfo` has the delay in seconds, such as `34.4s`. */
function retryDelayMs(details: readonly WireRecord[]): number | undefined {
  const delay = details.map(({ retryDelay }) => stringOf(retryDelay)).find((text) => text !== "");
  return retryAfterMs({ "retry-after": delay?.replace(/s$/, "") });
}

/** Errors are wrapped in a list where the answer is not a stream of events. */
function detailsOf(value: unknown): readonly WireRecord[] {
  const answer: unknown = Array.isArray(value) ? value[0] : value;
  const error = isRecord(answer) ? answer["error"] : undefined;
  return isRecord(error) ? listOf(error["details"]).filter(isRecord) : [];
}
