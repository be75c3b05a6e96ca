import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { LlmError } from "./llm-error.js";
import { toLlmError } from "./network-error.js";

function systemError(code: string): Error {
  return Object.assign(new Error("it broke"), { code });
}

test.each([
  ["UND_ERR_CONNECT_TIMEOUT", "timeout", true],
  ["ETIMEDOUT", "timeout", true],
  ["ECONNREFUSED", "network", true],
  ["UND_ERR_SOCKET", "network", true],
  ["ENOTFOUND", "network", true],
  ["UND_ERR_INVALID_ARG", "invalid_request", false],
])("%s is %s", (code, expected, retryable) => {
  expect(toLlmError(systemError(code))).toMatchObject({ code: expected, retryable });
});

test("a connection tried at several addresses fails like the first of them", () => {
  const several = new AggregateError([systemError("ECONNREFUSED"), systemError("EHOSTUNREACH")]);
  expect(toLlmError(several)).toMatchObject({ code: "network" });
});

test("a system error of another realm is one", () => {
  const refused: unknown = runInNewContext(
    "new AggregateError([Object.assign(new Error('it broke'), { code: 'ECONNREFUSED' })])",
  );
  expect(toLlmError(refused)).toMatchObject({ code: "network", retryable: true });
});

test("what is no system error is a protocol error that keeps its cause", () => {
  const bug = new TypeError("not a function");
  expect(toLlmError(bug)).toMatchObject({ code: "protocol", retryable: false, cause: bug });
});

test("an LlmError stays what it is", () => {
  const error = new LlmError("aborted", "x");
  expect(toLlmError(error)).toBe(error);
});
