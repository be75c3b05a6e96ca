/** One taxonomy for the failures of all providers. */
export type LlmErrorCode =
  | "auth"
  | "permission"
  | "not_found"
  | "invalid_request"
  | "context_too_long"
  | "rate_limited"
  | "overloaded"
  | "server"
  | "network"
  | "timeout"
  | "aborted"
  | "content_filter"
  | "protocol";
