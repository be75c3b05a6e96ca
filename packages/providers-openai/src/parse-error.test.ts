import { describe, expect, test } from "vitest";
import { parseError, parseErrorEvent } from "./parse-error.js";

const body = (error: object): string => JSON.stringify({ error: { message: "m", ...error } });

describe("a failed answer", () => {
  test.each([
    [400, { type: "invalid_request_error" }, "invalid_request", false],
    [401, { type: "invalid_request_error", code: "invalid_api_key" }, "auth", false],
    [403, { code: "forbidden" }, "permission", false],
    [400, { code: "model_not_found" }, "not_found", false],
    [429, { code: "rate_limit_exceeded" }, "rate_limited", true],
    [429, { code: 429 }, "rate_limited", true],
    [400, { code: "context_length_exceeded" }, "context_too_long", false],
    [400, { code: "content_filter" }, "content_filter", false],
    [500, { type: "server_error" }, "server", true],
    [503, {}, "overloaded", true],
    [504, {}, "timeout", true],
  ])("of status %i with %o is %s", (status, error, code, retryable) => {
    expect(parseError(status, body(error), {})).toMatchObject({ code, retryable, status });
  });

  test("F15: of a spent quota is no rate limit and not retried", () => {
    const error = { type: "insufficient_quota", code: "insufficient_quota" };
    expect(parseError(429, body(error), {})).toMatchObject({
      code: "permission",
      retryable: false,
    });
  });

  test("F15: waits and hopes as the server says", () => {
    const headers = { "retry-after-ms": "1500", "x-should-retry": "false" };
    expect(parseError(500, body({}), headers)).toMatchObject({
      retryable: false,
      retryAfterMs: 1500,
    });
  });

  test.each([
    "This model's maximum context length is 128000 tokens. However, you requested 130000.",
    "prompt too long; exceeded max context length by 5 tokens",
    "Your input exceeds the context window of this model.",
    "Input is too long for requested model.",
  ])("tells too long a prompt by its message: %s", (message) => {
    expect(parseError(400, body({ message }), {}).code).toBe("context_too_long");
  });

  test("tells a wrong key by its message, where the status does not", () => {
    const text = JSON.stringify({ code: "invalid-argument", error: "Incorrect API key provided." });
    expect(parseError(400, text, {})).toMatchObject({
      code: "auth",
      message: "Incorrect API key provided.",
      providerType: "invalid-argument",
    });
  });

  test.each([
    ['{"detail":"Invalid"}', "Invalid"],
    ['{"message":"Invalid"}', "Invalid"],
    ['{"error":"Invalid"}', "Invalid"],
    ['{"object":"error","message":"Invalid","code":400}', "Invalid"],
    ["Invalid", "Invalid"],
    ["<html><title>Bad gateway</title></html>", "Bad gateway"],
    ["", "HTTP 400"],
  ])("F13: may have the body %s", (text, message) => {
    expect(parseError(400, text, {})).toMatchObject({ message, responseText: text });
  });
});

describe("an error inside an answer", () => {
  test.each([
    [{ error: { message: "m", code: 502 } }, "server", true],
    [{ error: { message: "m", code: 429 } }, "rate_limited", true],
    [{ error: { message: "m", code: 400 } }, "invalid_request", false],
    [{ error: { message: "m", type: "invalid_request_error" } }, "invalid_request", false],
    [
      { error: { message: "too long prompt: context length", code: 400 } },
      "context_too_long",
      false,
    ],
    [
      { error: { message: "the input is too long", type: "invalid_request_error" } },
      "context_too_long",
      false,
    ],
    [{ error: { message: "maximum context", type: "other" } }, "server", true],
    [{ error: { message: "m", type: "insufficient_quota" } }, "permission", false],
    [{ error: { message: "m", code: "server_is_overloaded" } }, "overloaded", true],
    [{ error: "m" }, "server", true],
    ["m", "server", true],
  ])("%o is %s", (value, code, retryable) => {
    expect(parseErrorEvent(value)).toMatchObject({ code, retryable });
  });

  test("without a message has one of ours", () => {
    expect(parseErrorEvent({ error: {} }).message).toBe("the server reported an error");
  });
});
