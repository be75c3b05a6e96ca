import {
  beginsLikeObject,
  type Event,
  type Frame,
  isRecord,
  listOf,
  LlmError,
  numberOf,
  parseJson,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { parseErrorEvent } from "../parse-error.js";
import { readArguments } from "./parse-call.js";
import { itemType, startItem, stopItem } from "./parse-item.js";
import { readText } from "./parse-message.js";
import { readReasoning } from "./parse-reasoning.js";
import { stopInfo, toUsage } from "./parse-response.js";
import type { OpenItem, ResponsesState } from "./state.js";

/** Decodes one server-sent event. */
export function parseEvent({ event, data }: Frame, state: ResponsesState, out: Event[]): void {
  // `[DONE]`, keep-alives and the like (F5, F9).
  if (state.phase === "over" || !beginsLikeObject(data)) return;
  const payload = state.json.parse(data);
  if (!isRecord(payload)) fail(state, out, "the server sent an event that is not JSON");
  else readPayload(stringOf(payload["type"]) || (event ?? ""), payload, state, out);
}

/** Decodes the end of the stream: without a final event the answer is cut (F6). */
export function parseEnd(state: ResponsesState, out: Event[]): void {
  if (state.phase === "over") return;
  fail(state, out, "the stream ended without response.completed: the answer is incomplete");
}

/** Decodes an answer that is one document, by the way of the events that it would have been. */
export function parseResponse(body: string, state: ResponsesState, out: Event[]): void {
  const response = parseJson(body);
  if (isRecord(response) && !Array.isArray(response["output"]) && hasError(response)) {
    abort(state, out, parseErrorEvent(response));
    return;
  }
  if (!isRecord(response) || !Array.isArray(response["output"])) {
    fail(state, out, "the answer is not a response; check that baseUrl names a Responses API");
    return;
  }
  start(response, state, out);
  end(response, state, out);
}

function readPayload(type: string, payload: WireRecord, state: ResponsesState, out: Event[]): void {
  switch (type) {
    case "response.output_text.delta":
      readText(openOf("message", payload, state, out), "text", payload, state, out);
      return;
    case "response.refusal.delta":
      readText(openOf("message", payload, state, out), "refusal", payload, state, out);
      return;
    case "response.reasoning_summary_text.delta":
      readReasoning(openOf("reasoning", payload, state, out), "summary", payload, out);
      return;
    case "response.reasoning_text.delta":
      readReasoning(openOf("reasoning", payload, state, out), "content", payload, out);
      return;
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta":
      readCallDelta(payload, state, out);
      return;
    case "response.output_item.added":
      if (isRecord(payload["item"])) addItem(payload["item"], payload, state, out);
      return;
    case "response.output_item.done":
      if (isRecord(payload["item"])) finishItem(payload["item"], payload, state, out);
      return;
    case "response.created":
      if (isRecord(payload["response"])) start(payload["response"], state, out);
      return;
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
    case "response.cancelled":
      end(isRecord(payload["response"]) ? payload["response"] : {}, state, out, type);
      return;
    case "error":
      abort(state, out, parseErrorEvent(withoutEventType(payload)));
      return;
    case "keepalive":
      out.push({ type: "ping" });
      return;
    default:
      // New event types appear inside an API version (F12); a bare error object is not one.
      if (type === "" && hasError(payload)) abort(state, out, parseErrorEvent(payload));
  }
}

function addItem(item: WireRecord, payload: WireRecord, state: ResponsesState, out: Event[]): void {
  const outputIndex = numberOf(payload["output_index"]);
  const known = outputIndex === undefined ? undefined : findOpen(payload, undefined, state);
  // A place is filled once: what a proxy repeats is passed over.
  if (known === undefined) startItem(item, outputIndex, state, out);
}

function finishItem(
  item: WireRecord,
  payload: WireRecord,
  state: ResponsesState,
  out: Event[],
): void {
  const type = itemType(item);
  const known = findOpen({ ...payload, item_id: item["id"] }, type, state);
  const opened = known ?? startItem(item, numberOf(payload["output_index"]), state, out);
  stopItem(opened, item, state, out);
}

function readCallDelta(payload: WireRecord, state: ResponsesState, out: Event[]): void {
  const call = findOpen(payload, undefined, state);
  // Without its item a call has no name: the item as a whole comes at its end.
  if (call?.type === "function_call" || call?.type === "custom_tool_call") {
    readArguments(call, stringOf(payload["delta"]), out);
  }
}

/** The item that a delta is for. A stream that was joined in its middle has not told of it. */
function openOf<T extends "message" | "reasoning">(
  type: T,
  payload: WireRecord,
  state: ResponsesState,
  out: Event[],
): OpenItem & { readonly type: T } {
  const known = findOpen(payload, type, state);
  if (known?.type === type) return known as OpenItem & { readonly type: T };
  const item = { type, id: stringOf(payload["item_id"]) };
  // The item that begins has the type that was asked for.
  return startItem(item, numberOf(payload["output_index"]), state, out) as OpenItem & {
    readonly type: T;
  };
}

/**
 * The open item that an event speaks of: by place, as ids may change on the way (GitHub Copilot);
 * else by id; else the last one, as llama.cpp says neither.
 */
function findOpen(
  payload: WireRecord,
  type: OpenItem["type"] | undefined,
  state: ResponsesState,
): OpenItem | undefined {
  const outputIndex = numberOf(payload["output_index"]);
  const id = stringOf(payload["item_id"]);
  let byId: OpenItem | undefined;
  let last: OpenItem | undefined;
  for (const item of state.open) {
    if (type !== undefined && item.type !== type) continue;
    if (outputIndex !== undefined && item.outputIndex === outputIndex) return item;
    if (id !== "" && item.id === id) byId ??= item;
    last = item;
  }
  return byId !== undefined || outputIndex !== undefined ? byId : last;
}

function start(response: WireRecord, state: ResponsesState, out: Event[]): void {
  const responseId = stringOf(response["id"]);
  if (state.phase === "content" && responseId !== state.responseId) restart(state, out);
  if (state.phase !== "new") return;
  state.phase = "started";
  state.responseId = responseId;
  const model = stringOf(response["model"]);
  out.push({
    type: "status",
    status: "response_started",
    ...(responseId === "" ? {} : { responseId }),
    ...(model === "" ? {} : { model }),
  });
}

/** A proxy tried again in the middle: only the second answer counts, the two are never merged. */
function restart(state: ResponsesState, out: Event[]): void {
  abortOpen(state, out, "the server began its answer anew");
  out.push({ type: "status", status: "response_restarted" });
  state.phase = "new";
  state.itemCount = 0;
  state.known.clear();
  state.hasToolCalls = false;
  state.hasRefusal = false;
}

/** The response as a whole: usage, what was not streamed, and how it ended. */
function end(response: WireRecord, state: ResponsesState, out: Event[], type?: string): void {
  if (isRecord(response["usage"])) {
    out.push({ type: "usage", usage: toUsage(response["usage"]) });
  }
  const status = stringOf(response["status"]) || (type ?? "").replace("response.", "");
  if (status === "failed" || hasError(response)) {
    abort(state, out, parseErrorEvent({ error: response["error"] }));
    return;
  }
  if (status === "cancelled") {
    abort(state, out, new LlmError("aborted", "the response was cancelled on the server"));
    return;
  }
  if (status === "queued" || status === "in_progress") {
    fail(state, out, `the response is ${status}: it was started in the background`);
    return;
  }
  readOutput(listOf(response["output"]).filter(isRecord), state, out);
  out.push({
    type: "status",
    status: "response_finished",
    stop: stopInfo(response, status, state),
  });
  state.phase = "over";
}

/** Items that were not streamed, or whose end was left out. Some servers leave the list empty. */
function readOutput(output: readonly WireRecord[], state: ResponsesState, out: Event[]): void {
  if (output.length > state.itemCount) {
    for (const [outputIndex, item] of output.entries()) {
      if (state.known.has(outputIndex) || state.known.has(stringOf(item["id"]))) continue;
      stopItem(startItem(item, outputIndex, state, out), item, state, out);
    }
  }
  for (const opened of state.open) {
    const item = output[opened.outputIndex ?? -1] ?? output.find(({ id }) => id === opened.id);
    // Of what only the server understands, half is nothing.
    if (item !== undefined || opened.type !== "opaque") stopItem(opened, item ?? {}, state, out);
  }
  abortOpen(state, out, "the response ended inside this item");
}

function hasError(payload: WireRecord): boolean {
  const { error } = payload;
  return isRecord(error) || (typeof error === "string" && error !== "");
}

/** `type` is here the type of the event; the error's own is inside, or it has none. */
function withoutEventType({ type: _ofTheEvent, ...rest }: WireRecord): WireRecord {
  return rest;
}

/** The answer is broken: asking again may well give a whole one. */
function fail(state: ResponsesState, out: Event[], problem: string): void {
  abort(state, out, new LlmError("protocol", problem, { retryable: true }));
}

function abort(state: ResponsesState, out: Event[], error: LlmError): void {
  abortOpen(state, out, error.message);
  state.phase = "over";
  out.push({ type: "error", error: error.toInfo() });
}

function abortOpen(state: ResponsesState, out: Event[], reason: string): void {
  for (const item of state.open) {
    const blocks = item.type === "message" ? item.parts.map(({ block }) => block) : [item.block];
    for (const index of blocks) {
      if (index !== undefined) out.push({ type: "block_abort", index, reason });
    }
  }
  state.open = [];
}
