import { expect, test } from "vitest";
import { flaggedResultText } from "./flagged-result.js";

const textOf = (summary: string, isError: boolean): string =>
  flaggedResultText({ type: "tool_result", callId: "1", summary, isError });

test.each([
  ["no such file", "Error: no such file"],
  ["Error: no such file", "Error: no such file"],
  ["[error] no such file", "[error] no such file"],
  [" ", "Error: The tool failed without a message."],
])("an error result %j says that it is one", (summary, expected) => {
  expect(textOf(summary, true)).toBe(expected);
});

test("any other result is its text", () => {
  expect(textOf("errors: 0", false)).toBe("errors: 0");
  expect(textOf("", false)).toBe("");
});
