import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../model/event.js";
import { BlockGuard } from "./block-guard.js";

const index = fc.nat(3);
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("block_start" as const),
      index,
      kind: fc.constant("text" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("block_delta" as const), index, text: fc.string() }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("block_stop" as const), index }) },
  fc.record({ type: fc.constant("block_abort" as const), index, reason: fc.constant("scheme") }),
  fc.constant<Event>({ type: "ping" }),
  fc.constant<Event>({ type: "status", status: "response_finished", stop: { reason: "end" } }),
  fc.constant<Event>({ type: "error", error: { code: "server", message: "x", retryable: true } }),
);

test("whatever a scheme does, each block begins once, ends once, and nothing follows an error", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const guard = new BlockGuard();
      const out: Event[] = [];
      for (const event of events) guard.push(event, out);
      guard.abortOpen("the end", out);
      expect(brokenPromises(out)).toEqual([]);
    }),
  );
});

test("a scheme that keeps to the rules is passed through unchanged", () => {
  const events: Event[] = [
    { type: "status", status: "response_started" },
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_start", index: 1, kind: "thinking" },
    { type: "block_delta", index: 0, text: "a" },
    { type: "block_stop", index: 1 },
    { type: "block_abort", index: 0, reason: "given up" },
    { type: "usage", usage: { inputTokens: 1 } },
    { type: "status", status: "response_finished", stop: { reason: "end" } },
    { type: "usage", usage: { inputTokens: 2 } },
  ];
  const guard = new BlockGuard();
  const out: Event[] = [];
  for (const event of events) guard.push(event, out);
  expect(out).toEqual(events);
  expect(guard).toMatchObject({ hasContent: true, isFinished: true, hasFailed: false });
});

/** What in a list of events is not as {@link Event} promises. */
function brokenPromises(events: readonly Event[]): string[] {
  const open = new Set<number>();
  let isFinished = false;
  const broken: string[] = [];
  const promise = (isKept: boolean, what: string): void => {
    if (!isKept) broken.push(what);
  };
  events.forEach((event, at) => {
    promise(!isFinished || !event.type.startsWith("block_"), "a block after the end");
    isFinished ||= event.type === "status";
    if (event.type === "block_start") {
      promise(!open.has(event.index), `block ${event.index} began twice`);
      open.add(event.index);
    } else if (event.type === "block_delta") {
      promise(open.has(event.index), `a delta of block ${event.index}, which is not open`);
    } else if (event.type === "block_stop" || event.type === "block_abort") {
      promise(open.delete(event.index), `an end of block ${event.index}, which is not open`);
    } else if (event.type === "error") {
      promise(open.size === 0, "an error before the ends of all blocks");
      promise(at === events.length - 1, "an event after an error");
    }
  });
  promise(open.size === 0, "a block without an end");
  return broken;
}
