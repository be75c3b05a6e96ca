import { describe, expect, test } from "vitest";
import type { LlmErrorInfo } from "../model/event.js";
import { isRetryableStatus, retryAfterMs, retryDelayMs } from "./retry.js";

const failure: LlmErrorInfo = { code: "server", message: "x", retryable: true };

describe("the wait before a retry", () => {
  test("doubles up to a limit", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
      retryDelayMs(failure, attempt, { maxRetries: 6 }, () => 0),
    );
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 8000, undefined]);
  });

  test("comes twice unless more or fewer are wanted", () => {
    const delays = [1, 2, 3].map((attempt) => retryDelayMs(failure, attempt, {}, () => 0));
    expect(delays).toEqual([500, 1000, undefined]);
  });

  test("is shortened by up to a quarter at random", () => {
    expect(retryDelayMs(failure, 1, {}, () => 0.999)).toBe(375);
  });

  test("is what the server asked for, to the millisecond", () => {
    const asked = { ...failure, retryAfterMs: 1234 };
    expect(retryDelayMs(asked, 1, {}, () => 0.999)).toBe(1234);
    expect(retryDelayMs({ ...failure, retryAfterMs: 60_001 }, 1, {}, () => 0)).toBeUndefined();
  });

  test("is none for what will not pass, and none when retries are off", () => {
    expect(retryDelayMs({ ...failure, retryable: false }, 1, {}, () => 0)).toBeUndefined();
    expect(retryDelayMs(failure, 1, { maxRetries: 0 }, () => 0)).toBeUndefined();
    expect(retryDelayMs(failure, 1, { maxRetries: Number.NaN }, () => 0)).toBeUndefined();
  });
});

describe("F15: the server's wish", () => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  const later = "Thu, 01 Jan 2026 00:00:30 GMT";
  test.each([
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": later, date }, 30_000],
    [{ "retry-after-ms": "0", "retry-after": "2" }, 2000],
    [{ "retry-after": "0" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "1767225600" }, undefined],
    [{ "retry-after": date, date: later }, undefined],
    [{ "retry-after": later }, undefined],
    [{}, undefined],
  ])("in %o is %o ms", (headers, expected) => {
    expect(retryAfterMs(headers)).toBe(expected);
  });

  test("as a date is measured from the given time, if one is", () => {
    expect(retryAfterMs({ "retry-after": later }, Date.parse(date))).toBe(30_000);
  });

  test("to retry or not wins over the status", () => {
    expect(isRetryableStatus(500, {})).toBe(true);
    expect(isRetryableStatus(500, { "x-should-retry": "false" })).toBe(false);
    expect(isRetryableStatus(400, { "x-should-retry": "true" })).toBe(true);
  });
});
