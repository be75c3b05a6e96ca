import { type Event, isRecord, listOf, stringOf, type WireRecord } from "llm-worker";
import { readToolCalls } from "./parse-tool-calls.js";
import type { ChatState } from "./state.js";
import { REASONING_FIELDS } from "./wire.js";
import { keepDetails, writeReasoning, writeText } from "./writing.js";

/** Decodes a `delta`, or the whole `message` of an answer without streaming: they are alike. */
export function readDelta(delta: WireRecord, state: ChatState, out: Event[]): void {
  readReasoning(delta, state, out);
  readContent(delta["content"], state, out);
  writeText("refusal", stringOf(delta["refusal"]), state, out);
  readToolCalls(delta["tool_calls"], state, out);
}

/** Reasoning hides in many places (C7). Where two of them are filled, they repeat each other. */
function readReasoning(delta: WireRecord, state: ChatState, out: Event[]): void {
  const field = REASONING_FIELDS.find((name) => stringOf(delta[name]) !== "");
  if (field !== undefined) writeReasoning(field, stringOf(delta[field]), state, out);
  if (!Array.isArray(delta["reasoning_details"])) return;
  const details = listOf(delta["reasoning_details"]).filter(isRecord);
  if (field === undefined) {
    writeReasoning("reasoning_details", details.map(detailText).join(""), state, out);
  }
  if (details.length > 0) keepDetails(details, state, out);
}

function readContent(content: unknown, state: ChatState, out: Event[]): void {
  writeText("text", stringOf(content), state, out);
  if (!Array.isArray(content)) return;
  for (const part of listOf(content)) {
    if (!isRecord(part)) continue;
    if (part["type"] === "thinking") writeReasoning("content", thinkingText(part), state, out);
    else writeText("text", stringOf(part["text"]), state, out);
  }
}

function detailText(detail: WireRecord): string {
  return stringOf(detail["text"]) || stringOf(detail["summary"]);
}

/** Mistral: `{type: "thinking", thinking: [{type: "text", text}]}`. */
function thinkingText(part: WireRecord): string {
  const { thinking } = part;
  if (typeof thinking === "string") return thinking;
  return listOf(thinking)
    .map((inner) => (isRecord(inner) ? stringOf(inner["text"]) : ""))
    .join("");
}
