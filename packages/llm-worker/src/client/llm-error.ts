import { isError, LlmWorkerError } from "../errors.js";
import type { LlmErrorInfo } from "../model/event.js";
import type { LlmErrorCode } from "../model/llm-error-code.js";

/** What an {@link LlmError} may carry beside its code and message. */
export interface LlmErrorDetails {
  /** Default: by the code (`rate_limited`, `overloaded`, `server`, `network`, `timeout`). */
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly providerType?: string | undefined;
  /** The answer's text, cut to 4 KiB: for people who look for the cause. */
  readonly responseText?: string | undefined;
  readonly cause?: unknown;
}

/** A model call that failed, in one taxonomy for all providers. */
export class LlmError extends LlmWorkerError implements LlmErrorInfo {
  readonly code: LlmErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly providerType: string | undefined;
  readonly responseText: string | undefined;

  constructor(code: LlmErrorCode, message: string, details: LlmErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? RETRYABLE_CODES.has(code);
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
    this.providerType = details.providerType;
    this.responseText = details.responseText?.slice(0, MAX_RESPONSE_TEXT_CHARS);
  }

  /** The error as plain data, for events and logs. */
  toInfo(): LlmErrorInfo {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.providerType === undefined ? {} : { providerType: this.providerType }),
    };
  }
}

/**
 * Whether a value is an {@link LlmError}, of another copy of this package too: a program may hold
 * several, and a scheme may come from another than its provider.
 */
export function isLlmError(value: unknown): value is LlmError {
  return (
    value instanceof LlmError ||
    (isError(value) && "toInfo" in value && typeof value.toInfo === "function")
  );
}

const MAX_RESPONSE_TEXT_CHARS = 4096;

const RETRYABLE_CODES: ReadonlySet<LlmErrorCode> = new Set<LlmErrorCode>([
  "rate_limited",
  "overloaded",
  "server",
  "network",
  "timeout",
]);
