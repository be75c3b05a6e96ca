import type { Event } from "llm-worker";
import { expect, test } from "vitest";
import { toOutcome } from "./outcome.js";

const start: Event = { type: "block_start", index: 0, kind: "text" };
const delta: Event = { type: "block_delta", index: 0, text: "a" };
const stop: Event = { type: "block_stop", index: 0 };
const end: Event = { type: "status", status: "response_finished", stop: { reason: "end" } };
const error: Event = {
  type: "error",
  error: { code: "protocol", message: "cut", retryable: true },
};

test.each([
  ["a block that is left open", "left open", [start, end]],
  ["a block that begins twice", "began twice", [start, start, stop, end]],
  ["a block that ends twice", "is not open", [start, stop, stop, end]],
  ["text for no block", "is not open", [delta, end]],
  ["a response without an end", "has no end", [start, stop]],
  ["a block after the end", "after the end", [end, start, stop]],
  ["anything after the error", "after the error", [error, end]],
])("%s is refused", (_what, message, events) => {
  expect(() => toOutcome(events)).toThrow(message);
});

test("text that had arrived counts, a call that was aborted does not", () => {
  const call: Event = { type: "block_start", index: 1, kind: "tool_use", callId: "1", name: "f" };
  const aborts = [0, 1].map((index) => ({ type: "block_abort", index, reason: "x" }) as const);
  expect(toOutcome([start, delta, call, ...aborts, error])).toMatchObject({
    outcome: "incomplete",
    text: "a",
    toolCalls: [],
    parts: ["text"],
  });
});

test("what came before the server began anew does not count", () => {
  const restart: Event = { type: "status", status: "response_restarted" };
  expect(toOutcome([start, delta, stop, restart, start, stop, end]).text).toBe("");
});
