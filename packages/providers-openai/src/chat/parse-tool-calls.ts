import {
  argumentsText,
  type Event,
  generatedCallId,
  isRecord,
  type JsonValue,
  listOf,
  numberOf,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { blockStop } from "../block-stop.js";
import type { ChatState, OpenCall } from "./state.js";
import { SCHEME_NAME } from "./wire.js";
import { stopWriting } from "./writing.js";

/** Decodes `delta.tool_calls`: fragments of calls, routed by index, else by id, else to the last. */
export function readToolCalls(value: unknown, state: ChatState, out: Event[]): void {
  for (const fragment of listOf(value)) {
    if (isRecord(fragment)) readFragment(fragment, state, out);
  }
}

function readFragment(fragment: WireRecord, state: ChatState, out: Event[]): void {
  const details = isRecord(fragment["function"]) ? fragment["function"] : {};
  const index = numberOf(fragment["index"]);
  const id = stringOf(fragment["id"]);
  const name = stringOf(details["name"]);
  const text = argumentsText(details["arguments"]);
  const known = callOf(index, id, name, state);
  // Padding: some servers send empty fragments between calls.
  if (known === undefined && id === "" && name === "" && text === "") return;
  const call = known ?? openCall(index, state);
  if (call.id === "") call.id = id;
  if (call.name === "") call.name = name;
  const extra = fragment["extra_content"];
  // What comes here was made by JSON.parse, so it is JSON all through.
  if (extra !== undefined && extra !== null) call.extraContent = extra as JsonValue;
  addArguments(call, text, state, out);
}

/** The call that a fragment continues. One with another name is another call, whatever its id and index. */
function callOf(
  index: number | undefined,
  id: string,
  name: string,
  state: ChatState,
): OpenCall | undefined {
  const call = callAt(index, id, name, state);
  const hasOtherName = name !== "" && call !== undefined && call.name !== "" && call.name !== name;
  return hasOtherName ? undefined : call;
}

/**
 * The call at the fragment's place. With an index that decides, as the id comes just once (C4),
 * unless another call evidently begins under the same index. Without one, a new id is a new call and
 * no id means the last one (C3).
 */
function callAt(
  index: number | undefined,
  id: string,
  name: string,
  state: ChatState,
): OpenCall | undefined {
  if (index !== undefined) {
    const call = state.callOfIndex.get(index);
    const isAnother = call !== undefined && call.id !== "" && id !== "" && call.id !== id;
    return isAnother && name !== "" ? undefined : call;
  }
  if (id !== "") return state.calls.findLast((call) => call.id === id);
  const last = state.calls.at(-1);
  // A name without an id begins a call too, once the last one has its own.
  return name !== "" && last?.name !== "" ? undefined : last;
}

function openCall(index: number | undefined, state: ChatState): OpenCall {
  const call: OpenCall = {
    block: undefined,
    id: "",
    name: "",
    pending: "",
    extraContent: undefined,
  };
  state.calls.push(call);
  if (index !== undefined) state.callOfIndex.set(index, call);
  return call;
}

function addArguments(call: OpenCall, text: string, state: ChatState, out: Event[]): void {
  if (call.block === undefined) {
    call.pending += text;
    if (call.id !== "" && call.name !== "") startCall(call, state, out);
  } else if (text !== "") {
    out.push({ type: "block_delta", index: call.block, text });
  }
}

function startCall(call: OpenCall, state: ChatState, out: Event[]): number {
  stopWriting(state, out);
  const index = state.nextBlock;
  state.nextBlock += 1;
  call.block = index;
  out.push({ type: "block_start", index, kind: "tool_use", callId: call.id, name: call.name });
  if (call.pending !== "") out.push({ type: "block_delta", index, text: call.pending });
  call.pending = "";
  return index;
}

/** Ends all calls. One that never got an id gets a made-up one (C2). */
export function stopCalls(state: ChatState, out: Event[]): void {
  for (const [position, call] of state.calls.entries()) {
    call.id ||= generatedCallId(state.responseId, call.name, String(position));
    const index = call.block ?? startCall(call, state, out);
    const { extraContent: extra_content } = call;
    const data = extra_content === undefined ? undefined : { type: "tool_call", extra_content };
    out.push(blockStop(index, data, { scheme: SCHEME_NAME, model: state.model }));
  }
}
