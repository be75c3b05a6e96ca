import { type Event, stringOf, type WireRecord } from "llm-worker";
import { jsonRecord, stopBlock } from "./block.js";
import { startCall, stopCall } from "./parse-call.js";
import { stopMessage } from "./parse-message.js";
import { stopReasoning } from "./parse-reasoning.js";
import { ReceivedText } from "./received-text.js";
import type { OpenCall, OpenItem, ResponsesState } from "./state.js";

/** Decodes `output_item.added`. */
export function startItem(
  item: WireRecord,
  outputIndex: number | undefined,
  state: ResponsesState,
  out: Event[],
): OpenItem {
  state.phase = "content";
  const opened = openItem(item, outputIndex, state, out);
  state.open.push(opened);
  state.itemCount += 1;
  if (outputIndex !== undefined) state.known.add(outputIndex);
  if (opened.id !== "") state.known.add(opened.id);
  return opened;
}

/** Decodes `output_item.done`: the item as a whole, which adds what no delta brought. */
export function stopItem(
  opened: OpenItem,
  item: WireRecord,
  state: ResponsesState,
  out: Event[],
): void {
  state.open = state.open.filter((other) => other !== opened);
  switch (opened.type) {
    case "message":
      stopMessage(opened, item, state, out);
      return;
    case "reasoning":
      stopReasoning(opened, item, state, out);
      return;
    case "function_call":
    case "custom_tool_call":
      stopCall(opened, item, state, out);
      return;
    case "opaque":
      stopOpaque(opened.block, item, state, out);
  }
}

/** One without a type would be refused when it is sent back. */
function stopOpaque(index: number, item: WireRecord, state: ResponsesState, out: Event[]): void {
  if (stringOf(item["type"]) !== "") stopBlock(index, jsonRecord(item), state, out);
  else out.push({ type: "block_abort", index, reason: "the server did not say what this is" });
}

function openItem(
  item: WireRecord,
  outputIndex: number | undefined,
  state: ResponsesState,
  out: Event[],
): OpenItem {
  const identity = { outputIndex, id: stringOf(item["id"]) };
  const type = itemType(item);
  switch (type) {
    case "message":
      return { ...identity, type, parts: [] };
    case "reasoning":
      out.push({ type: "block_start", index: state.nextBlock, kind: "thinking" });
      return { ...identity, type, block: state.nextBlock++, source: undefined, part: 0 };
    case "function_call":
    case "custom_tool_call": {
      state.hasToolCalls = true;
      const call: OpenCall = { ...identity, type, block: undefined, text: new ReceivedText() };
      startCall(call, stringOf(item["call_id"]), stringOf(item["name"]), state, out);
      return call;
    }
    case "opaque": {
      const name = stringOf(item["type"]);
      out.push({ type: "block_start", index: state.nextBlock, kind: "opaque", name });
      return { ...identity, type, block: state.nextBlock++ };
    }
  }
}

/** Server tools and kinds that are newer than this code are kept whole, for replay (R12). */
export function itemType(item: WireRecord): OpenItem["type"] {
  const { type } = item;
  return type === "message" ||
    type === "reasoning" ||
    type === "function_call" ||
    type === "custom_tool_call"
    ? type
    : "opaque";
}
