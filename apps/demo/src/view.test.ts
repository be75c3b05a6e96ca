import type { RunEvent } from "llm-worker";
import { expect, test } from "vitest";
import { chooseStyle } from "./style.js";
import { RunView } from "./view.js";

function show(events: readonly RunEvent[]): string {
  let text = "";
  const view = new RunView((piece) => (text += piece), chooseStyle({ isTerminal: false, env: {} }));
  for (const event of events) view.show(event);
  return text;
}

test("streams text blocks as they come, and no others", () => {
  const events: RunEvent[] = [
    { type: "block_start", index: 0, kind: "thinking" },
    { type: "block_delta", index: 0, text: "hm" },
    { type: "block_stop", index: 0 },
    { type: "block_start", index: 1, kind: "text" },
    { type: "block_delta", index: 1, text: "on\u001be" },
    { type: "block_delta", index: 1, text: " two" },
    { type: "block_stop", index: 1 },
  ];
  expect(show(events)).toBe("\non␛e two\n");
});

test("shows a stored output with its summary, and of inspect the selector and the size", () => {
  const call = (callId: string, name: string, input: string): RunEvent => {
    return { type: "item_added", item: { type: "tool_call", callId, name, arguments: input } };
  };
  const result = (callId: string, summary: string): RunEvent => {
    return { type: "item_added", item: { type: "tool_result", callId, summary } };
  };
  const events: RunEvent[] = [
    call("a", "read_file", '{"path":"x"}'),
    {
      type: "output_stored",
      callId: "a",
      toolName: "read_file",
      blobId: "b",
      byteCount: 5000,
      summaryBytes: 14,
    },
    result("a", "[blob:b]\n1 line"),
    call("b", "inspect", '{"blob_id":"b","selector":"lines:1-2"}'),
    result("b", "header\nfirst\nsecond"),
    call("c", "inspect", '{"blob_id":"b"}'),
    result("c", "h"),
  ];
  expect(show(events)).toBe(
    [
      "",
      '→ read_file {"path":"x"}',
      "← read_file: 5,000 bytes stored, 15 bytes into the history",
      "    [blob:b]",
      "    1 line",
      "",
      "→ inspect lines:1-2",
      "← inspect: 19 bytes read back",
      "    header",
      "",
      "→ inspect (first part)",
      "← inspect: 1 byte read back",
      "    h",
      "",
    ].join("\n"),
  );
});

test("tells when a request is sent again, and when an output could not be stored", () => {
  const error = { code: "rate_limited", message: "slow down", retryable: true } as const;
  const text = show([
    { type: "status", status: "retrying", attempt: 1, delayMs: 1500, error },
    {
      type: "output_store_failed",
      callId: "a",
      toolName: "read_file",
      code: "no_space",
      message: "the disk is full",
      byteCount: 9,
      keptBytes: 1,
    },
  ]);
  expect(text).toBe(
    "! slow down; trying again in 1500 ms\n" +
      "! the output could not be stored (no_space): the disk is full\n",
  );
});
