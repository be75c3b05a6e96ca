import type { LlmErrorInfo } from "../model/event.js";
import type { ResponseHeaders } from "./scheme.js";

/** When a failed request is sent again. Only failures before the first block event are. */
export interface RetryOptions {
  /** How often, after the first attempt. Default 2; 0 turns retries off. */
  readonly maxRetries?: number | undefined;
  /** Before the first retry, where the server asked for nothing. Doubles each time. Default 500. */
  readonly initialDelayMs?: number | undefined;
  /** Where the doubling stops. Default 8000. */
  readonly maxDelayMs?: number | undefined;
  /**
   * The longest wait that a server may ask for. For a longer one the failure is reported at once,
   * with its `retryAfterMs`, so that the caller can decide. Default 60000.
   */
  readonly maxRetryAfterMs?: number | undefined;
}

/** When a failed request is sent again, unless told otherwise. */
export const DEFAULT_RETRY: Readonly<Record<keyof RetryOptions, number>> = {
  maxRetries: 2,
  initialDelayMs: 500,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 60_000,
};

/** A longer wait than this is taken for a mistake of the server (a time where seconds belong). */
export const MAX_CREDIBLE_RETRY_AFTER_MS: number = 24 * 60 * 60 * 1000;

/**
 * Milliseconds until the `attempt`-th retry (1 for the first), or `undefined` to give up.
 * What the server asked for is kept to exactly; our own back-off has up to a quarter taken off at
 * random, so that clients do not come back together.
 */
export function retryDelayMs(
  error: LlmErrorInfo,
  attempt: number,
  options: RetryOptions,
  random: () => number,
): number | undefined {
  const maxRetries = options.maxRetries ?? DEFAULT_RETRY.maxRetries;
  // So that NaN, as of a variable that is not set, is none and not without end.
  const isLeft = attempt <= maxRetries;
  if (!error.retryable || !isLeft) return undefined;
  if (error.retryAfterMs !== undefined && error.retryAfterMs > 0) {
    const longest = options.maxRetryAfterMs ?? DEFAULT_RETRY.maxRetryAfterMs;
    return error.retryAfterMs > longest ? undefined : error.retryAfterMs;
  }
  const initial = options.initialDelayMs ?? DEFAULT_RETRY.initialDelayMs;
  const longest = options.maxDelayMs ?? DEFAULT_RETRY.maxDelayMs;
  const backOff = Math.min(initial * 2 ** (attempt - 1), longest);
  return Math.round(backOff * (1 - random() / 4));
}

/**
 * How long the server asked to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP
 * date. Zero, negative, unreadable and absurd values (over a day) count as not given.
 *
 * @param nowMs what an HTTP date is measured from; default: the answer's own `date` header
 */
export function retryAfterMs(headers: ResponseHeaders, nowMs?: number): number | undefined {
  return (
    credible(numberOf(headers["retry-after-ms"])) ??
    credible(numberOf(headers["retry-after"]) * 1000) ??
    credible(
      Date.parse(headers["retry-after"] ?? "") - (nowMs ?? Date.parse(headers["date"] ?? "")),
    )
  );
}

/**
 * Whether a status is worth another try: 408, 409, 429 and 5xx, unless the server says otherwise in
 * `x-should-retry`.
 */
export function isRetryableStatus(status: number, headers: ResponseHeaders): boolean {
  const wish = headers["x-should-retry"];
  if (wish === "true") return true;
  if (wish === "false") return false;
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function numberOf(header: string | undefined): number {
  return header === undefined || header.trim() === "" ? Number.NaN : Number(header);
}

function credible(ms: number): number | undefined {
  return ms > 0 && ms <= MAX_CREDIBLE_RETRY_AFTER_MS ? Math.round(ms) : undefined;
}
