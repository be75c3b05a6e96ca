import {
  argumentsText,
  type Event,
  generatedCallId,
  isRecord,
  type JsonValue,
  parseJson,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { jsonRecord, stopBlock } from "./block.js";
import { ReceivedText } from "./received-text.js";
import type { OpenCall, ResponsesState } from "./state.js";

/** Begins the block of a call, if it is known what it calls. */
export function startCall(
  call: OpenCall,
  callId: string,
  name: string,
  state: ResponsesState,
  out: Event[],
): void {
  if (callId === "" || name === "") return;
  startBlock(call, callId, name, state, out);
}

/** More of a call's arguments, or of a custom tool's input. */
export function readArguments(call: OpenCall, text: string, out: Event[]): void {
  if (text === "") return;
  call.text.add(text);
  if (call.block !== undefined) pushArguments(call.block, call.type, text, out);
}

/** Ends a call. Where the item says other arguments than came in pieces, it counts: some were lost. */
export function stopCall(
  call: OpenCall,
  item: WireRecord,
  state: ResponsesState,
  out: Event[],
): void {
  const id = stringOf(item["id"]) || call.id;
  const isCustom = call.type === "custom_tool_call";
  const whole = argumentsText(item[isCustom ? "input" : "arguments"]);
  const end = call.text.missingEnd(whole);
  if (end !== undefined) readArguments(call, end, out);
  else if (!saysNoMore(whole, call.text.toString())) replaceArguments(call, whole, out);
  const index = call.block ?? startUnnamed(call, id, item, state, out);
  if (isCustom) out.push({ type: "block_delta", index, text: '"' });
  stopBlock(index, replayData(call.type, id, item), state, out);
}

/** The block that has begun is not to be used; another one begins with all of the arguments. */
function replaceArguments(call: OpenCall, whole: string, out: Event[]): void {
  if (call.block !== undefined) {
    const reason = "a piece of the arguments was lost on the way";
    out.push({ type: "block_abort", index: call.block, reason });
  }
  call.block = undefined;
  call.text = new ReceivedText();
  call.text.add(whole);
}

/** Some servers write the arguments anew at the end, or say no more than that there are none. */
function saysNoMore(whole: string, received: string): boolean {
  const [after, before] = [parseJson(whole), parseJson(received)];
  if (after === undefined) return before !== undefined;
  const text = argumentsText(after);
  return text === "" || text === argumentsText(before);
}

/** What goes back with a call beside what it says. */
function replayData(type: OpenCall["type"], id: string, item: WireRecord): JsonValue | undefined {
  const { namespace, caller } = jsonRecord(item);
  const fields = {
    ...(id === "" ? {} : { id }),
    ...(typeof namespace === "string" ? { namespace } : {}),
    // That the model called directly is what no caller means.
    ...(isRecord(caller) && caller["type"] !== "direct" ? { caller } : {}),
  };
  const isPlain = type === "function_call" && Object.keys(fields).length === 0;
  return isPlain ? undefined : { type, ...fields };
}

function startUnnamed(
  call: OpenCall,
  id: string,
  item: WireRecord,
  state: ResponsesState,
  out: Event[],
): number {
  const made = (): string => generatedCallId(state.responseId, String(state.nextBlock));
  const callId = stringOf(item["call_id"]) || id || made();
  return startBlock(call, callId, stringOf(item["name"]), state, out);
}

function startBlock(
  call: OpenCall,
  callId: string,
  name: string,
  state: ResponsesState,
  out: Event[],
): number {
  const index = state.nextBlock;
  state.nextBlock += 1;
  call.block = index;
  out.push({ type: "block_start", index, kind: "tool_use", callId, name });
  // The input of a custom tool is any text: in neutral terms it is a JSON string.
  if (call.type === "custom_tool_call") out.push({ type: "block_delta", index, text: '"' });
  const received = call.text.toString();
  if (received !== "") pushArguments(index, call.type, received, out);
  return index;
}

function pushArguments(index: number, type: OpenCall["type"], text: string, out: Event[]): void {
  const isCustom = type === "custom_tool_call";
  const json = isCustom ? JSON.stringify(text).slice(1, -1) : text;
  out.push({ type: "block_delta", index, text: json });
}
