import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { errorMessage } from "./errors.js";

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
