import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { errorMessage, failureText } from "./errors.js";

function errorWith(message: unknown): Error {
  return Object.assign(new Error("replaced"), { message });
}

const itself = errorWith("");
Object.assign(itself, { message: itself });

test.each<[string, unknown, string]>([
  ["an error", new RangeError("too far"), "too far"],
  ["an error without a message", new RangeError(), "RangeError"],
  ["a string", "gone", "gone"],
  ["nothing", undefined, "undefined"],
  ["an object", { status: 500 }, '{"status":500}'],
  ["an error whose message is an object", errorWith({ status: 500 }), '{"status":500}'],
  ["an error whose message is a number", errorWith(42), "42"],
  ["an error whose message is an error", errorWith(new Error("inner")), "inner"],
  ["an error whose message is itself", itself, "unknown error"],
  ["an error of another realm", runInNewContext("new RangeError('too far')"), "too far"],
  ["a bigint", 1n, "unknown error"],
])("%s has a text", (_title, thrown, text) => {
  expect(errorMessage(thrown)).toBe(text);
});

const refused = new Error("connect ECONNREFUSED 127.0.0.1:80");
const endless = new Error("again");
endless.cause = endless;

test.each<[string, unknown, string]>([
  ["an error without a cause", new Error("gone"), "gone"],
  ["what is no error", "gone", "gone"],
  [
    "an error with a cause",
    new TypeError("fetch failed", { cause: refused }),
    "fetch failed (connect ECONNREFUSED 127.0.0.1:80)",
  ],
  [
    "an error that tells its cause itself",
    new Error(`no answer: ${refused.message}`, { cause: refused }),
    "no answer: connect ECONNREFUSED 127.0.0.1:80",
  ],
  [
    "an error of several",
    new AggregateError(
      [new Error("no key"), new Error("timed out", { cause: "dns" })],
      "all failed",
    ),
    "all failed (no key; timed out (dns))",
  ],
  [
    "an error of very many",
    new AggregateError(
      Array.from({ length: 1000 }, (_, i) => `no. ${i}`),
      "all failed",
    ),
    "all failed (no. 0; no. 1; no. 2; no. 3)",
  ],
  ["an error that is its own cause", endless, "again"],
])("what %s says to a model", (_title, thrown, text) => {
  expect(failureText(thrown)).toBe(text);
});

test("causes of causes come to an end", () => {
  let error: unknown = "0";
  for (let i = 1; i < 100; i += 1) error = new Error(`no. ${i};`, { cause: error });
  expect(failureText(error)).toBe("no. 99; (no. 98; (no. 97; (no. 96; (no. 95;))))");
  const throwing = Object.defineProperty(new Error("odd"), "cause", {
    get: () => {
      throw new Error("not today");
    },
  });
  expect(failureText(throwing)).toBe("odd");
});
