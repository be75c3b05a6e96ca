import {
  beginsLikeObject,
  type Event,
  isRecord,
  LlmError,
  numberOf,
  parseJson,
  type StopReason,
  stringOf,
  type Usage,
  type WireRecord,
} from "llm-worker";
import { readDelta, startBlock, stopBlock } from "./parse-block.js";
import { parseErrorEvent } from "./parse-error.js";
import type { AnthropicState } from "./state.js";
import { KNOWN_STOP_REASONS } from "./wire.js";

/** Decodes the data of one server-sent event. */
export function parseEvent(data: string, state: AnthropicState, out: Event[]): void {
  // `[DONE]`, keep-alives and the like: gateways put them into streams of any wire (F9).
  if (state.phase === "over" || !beginsLikeObject(data)) return;
  const payload = state.json.parse(data);
  if (isRecord(payload)) readPayload(payload, state, out);
  else fail(state, out, "the server sent an event that is not JSON");
}

/** Decodes the end of the stream: without `message_stop` the answer is cut (F6). */
export function parseEnd(state: AnthropicState, out: Event[]): void {
  if (state.phase === "over") return;
  fail(state, out, "the stream ended without message_stop: the answer is incomplete");
}

/** Decodes an answer that is one message, by the way of the events that it would have been. */
export function parseResponse(body: string, state: AnthropicState, out: Event[]): void {
  const message = parseJson(body);
  if (isRecord(message) && message["error"] !== undefined) {
    abort(state, out, parseErrorEvent(message));
    return;
  }
  if (!isRecord(message) || !Array.isArray(message["content"])) {
    fail(state, out, "the answer is not a message; check that baseUrl names a Messages API");
    return;
  }
  startMessage({ ...message, usage: undefined }, state, out);
  message["content"].forEach((block: unknown, index) => {
    readPayload({ type: "content_block_start", index, content_block: block }, state, out);
    readPayload({ type: "content_block_stop", index }, state, out);
  });
  const { stop_reason, stop_sequence, stop_details, usage } = message;
  const delta = { stop_reason, stop_sequence, stop_details };
  readPayload({ type: "message_delta", delta, usage }, state, out);
  readPayload({ type: "message_stop" }, state, out);
}

function readPayload(payload: WireRecord, state: AnthropicState, out: Event[]): void {
  if (state.phase === "over") return;
  switch (payload["type"]) {
    case "content_block_delta":
      blockDelta(payload, state, out);
      return;
    case "content_block_start":
      blockStart(payload, state, out);
      return;
    case "content_block_stop":
      stopBlock(indexOf(payload), state, out);
      return;
    case "message_start":
      if (isRecord(payload["message"])) startMessage(payload["message"], state, out);
      return;
    case "message_delta":
      if (isRecord(payload["delta"])) state.stop = overwrite(state.stop, payload["delta"]);
      reportUsage(payload["usage"], state, out);
      return;
    case "message_stop":
      finish(state, out);
      return;
    case "ping":
      out.push({ type: "ping" });
      return;
    case "error":
      abort(state, out, parseErrorEvent(payload));
      return;
    default:
      // New event types appear inside an API version (F12); a bare error object is not one.
      if (payload["error"] !== undefined) abort(state, out, parseErrorEvent(payload));
  }
}

function startMessage(message: WireRecord, state: AnthropicState, out: Event[]): void {
  if (state.phase === "content") restart(state, out);
  if (state.phase === "started") return;
  state.phase = "started";
  const { id, model, usage } = message;
  out.push({
    type: "status",
    status: "response_started",
    ...(typeof id === "string" ? { responseId: id } : {}),
    ...(typeof model === "string" ? { model } : {}),
  });
  reportUsage(usage, state, out);
}

/** A proxy tried again in the middle: only the second answer counts, the two are never merged (A24). */
function restart(state: AnthropicState, out: Event[]): void {
  const reason = "the server began its answer anew";
  for (const index of state.open.keys()) out.push({ type: "block_abort", index, reason });
  out.push({ type: "status", status: "response_restarted" });
  state.open.clear();
  state.phase = "new";
  state.hasToolCalls = false;
  state.stop = {};
}

function blockStart(payload: WireRecord, state: AnthropicState, out: Event[]): void {
  const block = payload["content_block"];
  // One without a type would be refused when it is sent back.
  if (!isRecord(block) || stringOf(block["type"]) === "") {
    fail(state, out, "the server began a block without saying which");
    return;
  }
  state.phase = "content";
  const index = indexOf(payload);
  // Some compatible servers leave out the stop before the next start.
  stopBlock(index, state, out);
  startBlock(index, block, state, out);
}

function blockDelta(payload: WireRecord, state: AnthropicState, out: Event[]): void {
  const index = indexOf(payload);
  const block = state.open.get(index);
  const delta = payload["delta"];
  if (!isRecord(delta)) return;
  if (block === undefined) fail(state, out, "the server continued a block that is not open");
  else readDelta(index, block, delta, out);
}

/** Both reports are totals: each field in its latest value, never a sum (A13, A14). */
function reportUsage(usage: unknown, state: AnthropicState, out: Event[]): void {
  if (!isRecord(usage)) return;
  state.usage = overwrite(state.usage, usage);
  out.push({ type: "usage", usage: toUsage(state.usage) });
}

function toUsage(raw: WireRecord): Usage {
  const uncached = numberOf(raw["input_tokens"]);
  const cacheReadTokens = numberOf(raw["cache_read_input_tokens"]) ?? 0;
  const cacheWriteTokens = numberOf(raw["cache_creation_input_tokens"]) ?? 0;
  const details = raw["output_tokens_details"];
  return {
    // `input_tokens` leaves out what the cache did (A15).
    inputTokens: uncached === undefined ? undefined : uncached + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: numberOf(raw["output_tokens"]),
    reasoningTokens: isRecord(details) ? numberOf(details["thinking_tokens"]) : undefined,
    raw,
  };
}

function finish(state: AnthropicState, out: Event[]): void {
  if (state.phase === "new") {
    fail(state, out, "the stream ended before it began");
    return;
  }
  // The end marker says that all is here, also where a compatible server left out a stop.
  for (const index of state.open.keys()) stopBlock(index, state, out);
  const { stop_reason: raw, stop_sequence: sequence, stop_details: detail } = state.stop;
  out.push({
    type: "status",
    status: "response_finished",
    stop: {
      reason: stopReason(raw, state.hasToolCalls),
      ...(typeof raw === "string" ? { raw } : {}),
      ...(typeof sequence === "string" ? { sequence } : {}),
      ...(isRecord(detail) ? { detail } : {}),
    },
  });
  state.phase = "over";
}

/** Reasons for which calls of the turn may be half or must wait: they are not hidden by a call. */
const CUTTING_REASONS: ReadonlySet<StopReason> = new Set<StopReason>([
  "max_tokens",
  "refusal",
  "context_window",
  "pause",
]);

function stopReason(raw: unknown, hasToolCalls: boolean): StopReason {
  const reason = knownReason(raw);
  return hasToolCalls && !CUTTING_REASONS.has(reason) ? "tool_use" : reason;
}

function knownReason(raw: unknown): StopReason {
  if (typeof raw !== "string") return "none";
  return Object.hasOwn(KNOWN_STOP_REASONS, raw)
    ? KNOWN_STOP_REASONS[raw as keyof typeof KNOWN_STOP_REASONS]
    : "other";
}

/** The answer is broken: asking again may well give a whole one. */
function fail(state: AnthropicState, out: Event[], problem: string): void {
  abort(state, out, new LlmError("protocol", problem, { retryable: true }));
}

function abort(state: AnthropicState, out: Event[], error: LlmError): void {
  for (const index of state.open.keys()) {
    out.push({ type: "block_abort", index, reason: error.message });
  }
  state.open.clear();
  state.phase = "over";
  out.push({ type: "error", error: error.toInfo() });
}

function overwrite(before: WireRecord, after: WireRecord): WireRecord {
  const given = Object.entries(after).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

function indexOf(payload: WireRecord): number {
  return numberOf(payload["index"]) ?? 0;
}
