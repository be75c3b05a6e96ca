import type { Item } from "llm-worker";
import { expect, test } from "vitest";
import { sessionJsonl } from "../../test/session.js";
import { checkReachability } from "./reachability.js";
import { parseTrace } from "./trace.js";

const trace = parseTrace("made", sessionJsonl([{ calls: [{ output: "abc" }, { output: "def" }] }]));
const blob = { id: "x", kind: "text", byteCount: 3 } as const;

const call = (callId: string, args: string): Item => ({
  type: "tool_call",
  callId,
  name: "read",
  arguments: args,
});

const items: readonly Item[] = [
  call("c1", '{"path":"c1.log"}'),
  { type: "tool_result", callId: "c1", summary: "3 bytes", content: "abc" },
  { type: "tool_result", callId: "c2", summary: "[blob:x]", blob },
  { type: "tool_result", callId: "not recorded", summary: "?" },
];

test("an output is whole in the history, or the same bytes in the store", async () => {
  const stored = async (item: { blob?: unknown }): Promise<Uint8Array | undefined> =>
    item.blob === undefined ? undefined : Buffer.from("def");
  expect(await checkReachability(items, trace, stored)).toEqual({
    outputCount: 2,
    wholeCount: 1,
    storedCount: 1,
    storedBytes: 3,
    storedCallCount: 0,
    lostCount: 0,
  });
});

test("anything else is lost: other bytes in the store, a cut text, a call with other arguments", async () => {
  const lost = async (item: Item, stored?: string): Promise<number> => {
    const bytes = stored === undefined ? undefined : Buffer.from(stored);
    return (await checkReachability([item], trace, async () => bytes)).lostCount;
  };
  expect(await lost({ type: "tool_result", callId: "c2", summary: "", blob }, "de")).toBe(1);
  expect(await lost({ type: "tool_result", callId: "c1", summary: "ab…" })).toBe(1);
  expect(await lost(call("c1", "{}"))).toBe(1);
  expect(await lost(call("c1", "{}"), '{"path":"c1.log"}')).toBe(0);
});
