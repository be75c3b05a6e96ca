import { type Event, isRecord, listOf, numberOf, stringOf, type WireRecord } from "llm-worker";
import { jsonList, stopBlock } from "./block.js";
import { ReceivedText } from "./received-text.js";
import type { OpenMessage, OpenPart, ResponsesState } from "./state.js";

/** Decodes a delta of a message's text or refusal. */
export function readText(
  message: OpenMessage,
  kind: OpenPart["kind"],
  payload: WireRecord,
  state: ResponsesState,
  out: Event[],
): void {
  // llama.cpp says no index: then it is the last part.
  const last = message.parts.at(-1)?.contentIndex ?? 0;
  const contentIndex = numberOf(payload["content_index"]) ?? last;
  const part = openPart(message, kind, contentIndex, state, out);
  addText(part, stringOf(payload["delta"]), out);
}

/** Ends a message: its parts are blocks of their own, told that they belong together by its id. */
export function stopMessage(
  message: OpenMessage,
  item: WireRecord,
  state: ResponsesState,
  out: Event[],
): void {
  const content = listOf(item["content"]);
  for (const [contentIndex, whole] of content.entries()) {
    if (!isRecord(whole)) continue;
    const kind = whole["type"] === "refusal" ? "refusal" : "text";
    // A message without text has its place too: reasoning may have been for it (R1).
    const part = openPart(message, kind, contentIndex, state, out);
    // Where the two do not fit, what came stays, as it was shown.
    addText(part, part.text.missingEnd(stringOf(whole[kind])) ?? "", out);
  }
  const id = stringOf(item["id"]) || message.id;
  const phase = stringOf(item["phase"]);
  for (const { block, contentIndex } of message.parts) {
    const whole = content[contentIndex];
    const annotations = isRecord(whole) ? listOf(whole["annotations"]) : [];
    const data = {
      type: "message",
      id,
      ...(phase === "" ? {} : { phase }),
      ...(annotations.length === 0 ? {} : { annotations: jsonList(annotations) }),
    };
    stopBlock(block, id === "" && phase === "" ? undefined : data, state, out);
  }
}

function addText(part: OpenPart, text: string, out: Event[]): void {
  if (text === "") return;
  part.text.add(text);
  out.push({ type: "block_delta", index: part.block, text });
}

function openPart(
  message: OpenMessage,
  kind: OpenPart["kind"],
  contentIndex: number,
  state: ResponsesState,
  out: Event[],
): OpenPart {
  const known = message.parts.find(
    (part) => part.contentIndex === contentIndex && part.kind === kind,
  );
  if (known !== undefined) return known;
  const text = new ReceivedText();
  const part: OpenPart = { contentIndex, kind, block: state.nextBlock, text };
  state.nextBlock += 1;
  message.parts.push(part);
  const isRefusal = kind === "refusal";
  state.hasRefusal ||= isRefusal;
  out.push({
    type: "block_start",
    index: part.block,
    kind: "text",
    ...(isRefusal ? { isRefusal } : {}),
  });
  return part;
}
