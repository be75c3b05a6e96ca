import type { LlmErrorCode } from "../model/llm-error-code.js";
import { LlmError } from "./llm-error.js";
import { isRecord } from "./read-json.js";
import { isRetryableStatus, retryAfterMs } from "./retry.js";
import type { ResponseHeaders } from "./scheme.js";

/** What could be read of an error answer. */
export interface ErrorBody {
  readonly message?: string | undefined;
  /** The provider's word for the kind of failure (`type`, or Gemini's `status`). */
  readonly type?: string | undefined;
  readonly code?: string | undefined;
}

/** Longest message taken over from a server. */
const MAX_MESSAGE_CHARS = 1000;

/**
 * Reads an error answer of any shape: `{error: {...}}`, `{error: "text"}`, `[{error: ...}]`,
 * `{message}`, `{detail}`, `{object: "error"}`, plain text, HTML, nothing. Never throws.
 */
export function readErrorBody(body: string): ErrorBody {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { message: plainMessage(body) };
  }
  return readErrorValue(value);
}

/** The same for an error that is parsed already, such as one inside a stream. */
export function readErrorValue(value: unknown): ErrorBody {
  if (Array.isArray(value)) return readErrorValue(value[0]);
  if (typeof value === "string") return { message: plainMessage(value) };
  if (!isRecord(value)) return {};
  const inner = value["error"];
  const source = isRecord(inner) ? inner : value;
  return {
    message: messageIn(source) ?? (typeof inner === "string" ? plainMessage(inner) : undefined),
    type: textOf(source["type"]) ?? textOf(source["status"]),
    code: textOf(source["code"]) ?? textOf(value["code"]),
  };
}

/** How an HTTP status reads in the common taxonomy. */
export function codeOfStatus(status: number): LlmErrorCode {
  const known = CODE_OF_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return "server";
  return status >= 400 ? "invalid_request" : "protocol";
}

const CODE_OF_STATUS: Readonly<Record<number, LlmErrorCode>> = {
  401: "auth",
  402: "permission",
  403: "permission",
  404: "not_found",
  408: "timeout",
  409: "server",
  413: "context_too_long",
  429: "rate_limited",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

/** What a scheme knows better than the status does. */
export interface StatusErrorOverrides {
  readonly code?: LlmErrorCode | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * The error for a failed answer: message from its body, code from its status, `retryable` from the
 * status, `x-should-retry` and `insufficient_quota`, delay from the headers.
 */
export function httpStatusError(
  status: number,
  body: string,
  headers: ResponseHeaders,
  overrides: StatusErrorOverrides = {},
): LlmError {
  const { message, type, code } = readErrorBody(body);
  const isQuota = type === "insufficient_quota" || code === "insufficient_quota";
  const text = (message ?? `HTTP ${status}`) + adviceFor(status, body);
  return new LlmError(overrides.code ?? codeOfStatus(status), text, {
    retryable: overrides.retryable ?? (!isQuota && isRetryableStatus(status, headers)),
    retryAfterMs: overrides.retryAfterMs ?? retryAfterMs(headers),
    status,
    providerType: type ?? code,
    responseText: body,
  });
}

/** Model servers answer in JSON: a 404 that is none is of one that does not know the path. */
function adviceFor(status: number, body: string): string {
  const isFromElsewhere = status === 404 && !/^\s*[{[]/.test(body);
  return isFromElsewhere ? "; no model server answers at this address: check baseUrl" : "";
}

function messageIn(source: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of ["message", "detail", "error_description", "title"]) {
    const value = source[field];
    if (typeof value === "string" && value.trim() !== "") return plainMessage(value);
    // FastAPI servers (vLLM and others) answer `detail: [{ msg }]`.
    if (Array.isArray(value) && isRecord(value[0])) return textOf(value[0]["msg"]);
  }
  return undefined;
}

function plainMessage(text: string): string | undefined {
  const isHtml = /^\s*<(!doctype|html|\?xml)/i.test(text);
  const title = isHtml ? /<title[^>]*>([^<]*)/i.exec(text)?.[1] : text;
  const message = title?.replace(/\s+/g, " ").trim();
  if (message === undefined || message === "") return undefined;
  return message.length > MAX_MESSAGE_CHARS
    ? `${message.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…`
    : message;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
