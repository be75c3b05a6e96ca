import { expect, test } from "vitest";
import { parseError } from "./parse-error.js";

const body = (type: string, message = "m"): string =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" });

test.each([
  [400, "invalid_request_error", "invalid_request", false],
  [401, "authentication_error", "auth", false],
  [402, "billing_error", "permission", false],
  [403, "permission_error", "permission", false],
  [404, "not_found_error", "not_found", false],
  [413, "request_too_large", "context_too_long", false],
  [429, "rate_limit_error", "rate_limited", true],
  [500, "api_error", "server", true],
  [504, "timeout_error", "timeout", true],
  [529, "overloaded_error", "overloaded", true],
  [400, "exceed_context_size_error", "context_too_long", false],
])("status %i with %s is %s", (status, type, code, retryable) => {
  expect(parseError(status, body(type), {})).toMatchObject({
    code,
    retryable,
    status,
    providerType: type,
    message: "m",
  });
});

test.each([
  "prompt is too long: 210000 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 199000 + 32000 > 200000",
])("too long a prompt is told apart: %s", (message) => {
  expect(parseError(400, body("invalid_request_error", message), {}).code).toBe("context_too_long");
});

test("F13: a body that is no JSON still gives status, message and text", () => {
  const error = parseError(502, "<html><title>Bad gateway</title></html>", {});
  expect(error).toMatchObject({
    code: "server",
    message: "Bad gateway",
    responseText: "<html><title>Bad gateway</title></html>",
  });
});

test("the server's wishes are read from the headers", () => {
  const headers = { "retry-after": "7", "x-should-retry": "false" };
  expect(parseError(529, body("overloaded_error"), headers)).toMatchObject({
    retryable: false,
    retryAfterMs: 7000,
  });
});
