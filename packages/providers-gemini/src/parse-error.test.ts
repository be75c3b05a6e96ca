import { expect, test } from "vitest";
import { parseError, parseErrorEvent } from "./parse-error.js";

const body = (
  code: number,
  status: string,
  message = "m",
  details: readonly unknown[] = [],
): string => JSON.stringify({ error: { code, message, status, details } });

test.each([
  [400, "INVALID_ARGUMENT", "invalid_request", false],
  [400, "FAILED_PRECONDITION", "invalid_request", false],
  [401, "UNAUTHENTICATED", "auth", false],
  [403, "PERMISSION_DENIED", "permission", false],
  [404, "NOT_FOUND", "not_found", false],
  [409, "ABORTED", "server", true],
  [429, "RESOURCE_EXHAUSTED", "rate_limited", true],
  [500, "INTERNAL", "server", true],
  [503, "UNAVAILABLE", "overloaded", true],
  [504, "DEADLINE_EXCEEDED", "timeout", true],
  [418, "BRAND_NEW", "invalid_request", false],
])("F15: status %i with %s is %s", (status, type, code, retryable) => {
  expect(parseError(status, body(status, type), {})).toMatchObject({
    code,
    retryable,
    status,
    providerType: type,
    message: "m",
  });
});

test("a bad key is told apart from other invalid arguments", () => {
  const details = [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
  ];
  expect(parseError(400, body(400, "INVALID_ARGUMENT", "m", details), {}).code).toBe("auth");
});

test.each([
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "The input token count exceeds the maximum number of tokens allowed 1048576.",
])("too long a prompt is told apart: %s", (message) => {
  expect(parseError(400, body(400, "INVALID_ARGUMENT", message), {}).code).toBe("context_too_long");
});

test("a quota of tokens is none of them", () => {
  const message = "The input token count exceeds your quota for this minute.";
  expect(parseError(429, body(429, "RESOURCE_EXHAUSTED", message), {}).code).toBe("rate_limited");
});

test.each([
  ["38.6s", 38_600],
  ["2s", 2_000],
  ["0s", undefined],
  ["-3s", undefined],
  ["99999999s", undefined],
  ["soon", undefined],
  [7, undefined],
])("G13: a retry delay of %s in the body is %s ms", (retryDelay, expected) => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];
  const text = body(429, "RESOURCE_EXHAUSTED", "m", [{ other: 1 }, ...details]);
  expect(parseError(429, text, {}).retryAfterMs).toBe(expected);
  expect(parseError(429, `[${text}]`, {}).retryAfterMs).toBe(expected);
  expect(parseErrorEvent(JSON.parse(text)).retryAfterMs).toBe(expected);
});

test("G13: a header wins over the body", () => {
  const text = body(429, "RESOURCE_EXHAUSTED", "m", [{ retryDelay: "5s" }]);
  expect(parseError(429, text, { "retry-after": "7" }).retryAfterMs).toBe(7_000);
});

test.each([
  ["[]", "HTTP 502"],
  ["", "HTTP 502"],
  ["<html><title>Bad gateway</title></html>", "Bad gateway"],
  ['[{"error":{"message":"m","details":7}}]', "m"],
  ['{"error":"m"}', "m"],
])("F13: the body %j still gives status and message", (text, message) => {
  expect(parseError(502, text, {})).toMatchObject({ code: "server", status: 502, message });
});

test("an error inside a stream is the server's unless it says otherwise", () => {
  expect(parseErrorEvent({ error: {} })).toMatchObject({
    code: "server",
    retryable: true,
    message: "the server reported an error",
  });
  expect(parseErrorEvent({ error: { status: "CANCELLED", message: "m" } })).toMatchObject({
    code: "server",
    message: "m",
    providerType: "CANCELLED",
  });
});
