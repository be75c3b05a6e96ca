import {
  type Event,
  isRecord,
  type JsonValue,
  listOf,
  numberOf,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { jsonRecord, stopBlock } from "./block.js";
import type { OpenReasoning, ResponsesState } from "./state.js";

/** Stands between two parts of a summary. */
const PART_SEPARATOR = "\n\n";

/** Decodes a delta of a reasoning's summary, or of the reasoning itself where a server shows it. */
export function readReasoning(
  reasoning: OpenReasoning,
  source: "summary" | "content",
  payload: WireRecord,
  out: Event[],
): void {
  const index = source === "summary" ? "summary_index" : "content_index";
  const part = numberOf(payload[index]) ?? reasoning.part;
  addThought(reasoning, source, part, stringOf(payload["delta"]), out);
}

/** Ends a reasoning item, which is kept whole: that is what goes back. */
export function stopReasoning(
  reasoning: OpenReasoning,
  item: WireRecord,
  state: ResponsesState,
  out: Event[],
): void {
  for (const source of ["summary", "content"] as const) {
    if (reasoning.source !== undefined) break;
    for (const [part, whole] of listOf(item[source]).entries()) {
      if (isRecord(whole)) addThought(reasoning, source, part, stringOf(whole["text"]), out);
    }
  }
  stopBlock(reasoning.block, replayData(item), state, out);
}

function addThought(
  reasoning: OpenReasoning,
  source: "summary" | "content",
  part: number,
  text: string,
  out: Event[],
): void {
  if (text === "") return;
  const { block } = reasoning;
  const isFirst = reasoning.source === undefined;
  reasoning.source ??= source;
  if (reasoning.source !== source) return;
  if (!isFirst && part !== reasoning.part) {
    out.push({ type: "block_delta", index: block, text: PART_SEPARATOR });
  }
  reasoning.part = part;
  out.push({ type: "block_delta", index: block, text });
}

/** A reasoning item without an id is none that could be sent back. */
function replayData(item: WireRecord): JsonValue | undefined {
  const { status: _ofTheAnswer, ...data } = jsonRecord(item);
  return stringOf(item["id"]) === "" ? undefined : data;
}
