import { describe, expect, test } from "vitest";
import { parseError, parseErrorEvent } from "./parse-error.js";

describe("a failed answer", () => {
  test.each([
    [400, "does not support tools", "invalid_request", false],
    [401, "unauthorized", "auth", false],
    [404, "model 'x' not found", "not_found", false],
    [429, "you have reached your weekly usage limit", "rate_limited", true],
    [500, "llama runner process has terminated", "server", true],
    [502, "remote model is unreachable", "server", true],
    [503, "server busy, please try again", "overloaded", true],
    [400, "the input length exceeds the context length", "context_too_long", false],
    [500, "the prompt is too long", "context_too_long", false],
  ])("of status %i and %j is %s", (status, text, code, retryable) => {
    const error = parseError(status, JSON.stringify({ error: text }), {});
    expect(error).toMatchObject({ status, code, retryable, message: text });
  });

  test("F13: may have any body", () => {
    for (const body of ["", "<html><title>Bad Gateway</title></html>", "[]", "null", "{"]) {
      expect(parseError(502, body, {})).toMatchObject({ code: "server", retryable: true });
    }
    expect(parseError(502, "<html><title>Bad Gateway</title></html>", {}).message).toBe(
      "Bad Gateway",
    );
  });

  test("F15: tells how long to wait if the server did", () => {
    expect(parseError(429, "{}", { "retry-after": "7" }).retryAfterMs).toBe(7_000);
  });
});

describe("L4: an error inside an answer", () => {
  test.each([
    [{ error: "an error was encountered while running the model" }, "server", true],
    [{ error: "input length exceeds maximum context length" }, "context_too_long", false],
    [{ error: { message: "slow down", code: 429 } }, "rate_limited", true],
    [{ error: { message: "no", type: "invalid_request_error" } }, "server", true],
    [{ error: {} }, "server", true],
  ])("%j is %s", (line, code, retryable) => {
    expect(parseErrorEvent(line)).toMatchObject({ code, retryable });
  });
});
