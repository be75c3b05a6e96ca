import type { RunEvent } from "llm-worker";
import { expect, test } from "vitest";
import { FactCollector } from "./facts.js";

function call(callId: string, name: string, input: string): RunEvent {
  return { type: "item_added", item: { type: "tool_call", callId, name, arguments: input } };
}

function result(callId: string, summary: string): RunEvent {
  return { type: "item_added", item: { type: "tool_result", callId, summary } };
}

function request(turn: number, bodyBytes: number): RunEvent {
  return { type: "request", turn, bodyBytes, itemCount: 1 };
}

test("reckons what was sent, and what would have been sent with all outputs inline", () => {
  const collector = new FactCollector();
  const events: RunEvent[] = [
    request(1, 1000),
    call("a", "read_file", "{}"),
    call("b", "list_dir", "{}"),
    {
      type: "output_stored",
      callId: "a",
      toolName: "read_file",
      blobId: "blob",
      byteCount: 50_000,
      summaryBytes: 4,
    },
    result("a", "long"),
    result("b", "short"),
    request(2, 1100),
    call("c", "inspect", "{i}"),
    result("c", "漢字"),
    request(3, 1200),
    call("d", "read_file", "{}"),
    result("d", "12"),
    request(4, 1300),
  ];
  for (const event of events) collector.add(event);

  expect(collector.facts).toEqual({
    outputs: [
      {
        toolName: "read_file",
        producedBytes: 50_000,
        historyBytes: 4,
        blobId: "blob",
        isError: false,
      },
      {
        toolName: "list_dir",
        producedBytes: 5,
        historyBytes: 5,
        blobId: undefined,
        isError: false,
      },
      {
        toolName: "read_file",
        producedBytes: 2,
        historyBytes: 2,
        blobId: undefined,
        isError: false,
      },
    ],
    producedBytes: 50_007,
    historyBytes: 11,
    inspectCalls: 1,
    inspectBytes: 6,
    requests: [
      { turn: 1, sentBytes: 1000, allInlineBytes: 1000, toolNames: ["read_file", "list_dir"] },
      { turn: 2, sentBytes: 1100, allInlineBytes: 1100 + 49_996, toolNames: ["inspect"] },
      { turn: 3, sentBytes: 1200, toolNames: ["read_file"] },
      { turn: 4, sentBytes: 1300, allInlineBytes: 1300 + 49_996 - 3 - 6, toolNames: [] },
    ],
    sentBytes: 4600,
    allInlineBytes: 1000 + 51_096 + 51_287,
  });
});

test("a failed store counts what the tool produced", () => {
  const collector = new FactCollector();
  collector.add(call("a", "read_file", "{}"));
  collector.add({
    type: "output_store_failed",
    callId: "a",
    toolName: "read_file",
    code: "no_space",
    message: "full",
    byteCount: 9000,
    keptBytes: 4,
  });
  collector.add(result("a", "part"));
  expect(collector.facts).toMatchObject({ producedBytes: 9000, historyBytes: 4 });
  expect(collector.facts.outputs[0]?.blobId).toBeUndefined();
});
