import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { httpStatusError, readErrorBody } from "./http-status-error.js";

describe("F13: an error body", () => {
  test.each([
    ['{"error":{"message":"m","type":"t","code":"c"}}', { message: "m", type: "t", code: "c" }],
    ['{"type":"error","error":{"type":"t","message":"m"}}', { message: "m", type: "t" }],
    ['{"error":"m"}', { message: "m" }],
    ['{"error":"m","code":400}', { message: "m", code: "400" }],
    [
      '[{"error":{"code":429,"message":"m","status":"S"}}]',
      { message: "m", type: "S", code: "429" },
    ],
    ['{"message":"m"}', { message: "m" }],
    ['{"detail":"m"}', { message: "m" }],
    ['{"detail":[{"loc":["body"],"msg":"m"}]}', { message: "m" }],
    [
      '{"object":"error","message":"m","type":"t","code":404}',
      { message: "m", type: "t", code: "404" },
    ],
    ['"m"', { message: "m" }],
    ["m\n n", { message: "m n" }],
    ["<html><head><title>502 Bad Gateway</title></head></html>", { message: "502 Bad Gateway" }],
    ["<html><body>no title</body></html>", {}],
    ["", {}],
    ["null", {}],
    ["[]", {}],
    ['{"error":{}}', {}],
  ])("%s", (body, expected) => {
    expect(JSON.parse(JSON.stringify(readErrorBody(body)))).toEqual(expected);
  });

  test("of any content never throws, and its message has a limit", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        expect(httpStatusError(500, body, {}).message.length).toBeLessThanOrEqual(1001);
      }),
    );
    expect(httpStatusError(500, "x".repeat(5000), {}).message).toMatch(/^x{1000}…$/);
  });

  test("that says nothing leaves the status as the message", () => {
    expect(httpStatusError(502, "", {}).message).toBe("HTTP 502");
  });

  test("of a 404 that no model server has written points to the address", () => {
    const advice = "; no model server answers at this address: check baseUrl";
    expect(httpStatusError(404, "", {}).message).toBe(`HTTP 404${advice}`);
    const page = "<html><head><title>404 Not Found</title></head></html>";
    expect(httpStatusError(404, page, {}).message).toBe(`404 Not Found${advice}`);
    expect(httpStatusError(404, '{"error":"model m not found"}', {}).message).toBe(
      "model m not found",
    );
  });
});

test.each([
  [400, "invalid_request"],
  [401, "auth"],
  [402, "permission"],
  [403, "permission"],
  [404, "not_found"],
  [408, "timeout"],
  [413, "context_too_long"],
  [418, "invalid_request"],
  [429, "rate_limited"],
  [500, "server"],
  [502, "server"],
  [503, "overloaded"],
  [504, "timeout"],
  [529, "overloaded"],
])("status %i is %s", (status, code) => {
  expect(httpStatusError(status, "", {}).code).toBe(code);
});
