import {
  beginsLikeObject,
  type Event,
  type Frame,
  isRecord,
  listOf,
  LlmError,
  numberOf,
  parseJson,
  type StopReason,
  stringOf,
  type WireRecord,
} from "llm-worker";
import { parseErrorEvent } from "../parse-error.js";
import { readDelta } from "./parse-delta.js";
import { stopCalls } from "./parse-tool-calls.js";
import { toUsage, usageIn } from "./parse-usage.js";
import type { ChatState } from "./state.js";
import { KNOWN_FINISH_REASONS } from "./wire.js";
import { stopWriting } from "./writing.js";

/** Decodes one server-sent event. */
export function parseEvent({ event, data }: Frame, state: ChatState, out: Event[]): void {
  if (state.phase === "over") return;
  if (event === "error") {
    abort(state, out, parseErrorEvent(parseJson(data) ?? data));
    return;
  }
  if (!beginsLikeObject(data)) {
    if (data.trim() === "[DONE]") end(state, out);
    // Else a keep-alive or the like.
    return;
  }
  const chunk = state.json.parse(data);
  if (isRecord(chunk)) readChunk(chunk, state, out);
  else fail(state, out, "the server sent an event that is not JSON");
}

/** Decodes the end of the stream: without a finish reason the answer is cut (F6, F8). */
export function parseEnd(state: ChatState, out: Event[]): void {
  if (state.phase === "over") return;
  if (state.finishReason !== "") finish(state, out);
  else fail(state, out, "the stream ended without a finish_reason: the answer is incomplete");
}

/** Decodes an answer that is one document. */
export function parseResponse(body: string, state: ChatState, out: Event[]): void {
  const completion = parseJson(body);
  if (isRecord(completion) && (isError(completion) || Array.isArray(completion["choices"]))) {
    readChunk(completion, state, out);
    end(state, out);
    return;
  }
  fail(state, out, "the answer is not a completion; check that baseUrl names a Chat API");
}

function readChunk(chunk: WireRecord, state: ChatState, out: Event[]): void {
  if (isError(chunk)) {
    reportUsage(chunk, out);
    // An error wins over what stands beside it (C16).
    abort(state, out, parseErrorEvent(chunk));
    return;
  }
  start(chunk, state, out);
  const choice = listOf(chunk["choices"]).find(isFirstChoice);
  if (isRecord(choice)) {
    const delta = choice["delta"] ?? choice["message"];
    if (isRecord(delta)) readDelta(delta, state, out);
    // Some servers send `""` until there is a reason (C6).
    state.finishReason = stringOf(choice["finish_reason"]) || state.finishReason;
  }
  reportUsage(chunk, out);
  // The usage after the reason is the last there is: whoever waits for more may wait long (F8).
  const isLast = choice === undefined && usageIn(chunk) !== undefined;
  if (isLast && state.finishReason !== "") finish(state, out);
}

function isFirstChoice(choice: unknown): choice is WireRecord {
  return isRecord(choice) && (numberOf(choice["index"]) ?? 0) === 0;
}

function isError(chunk: WireRecord): boolean {
  const { error } = chunk;
  return (
    isRecord(error) || (typeof error === "string" && error !== "") || chunk["object"] === "error"
  );
}

/** Tells of the response, once a chunk says anything: Azure begins with one that does not (C1). */
function start(chunk: WireRecord, state: ChatState, out: Event[]): void {
  const responseId = stringOf(chunk["id"]);
  if (state.phase !== "new") return;
  if (responseId === "" && listOf(chunk["choices"]).length === 0) return;
  state.phase = "started";
  state.responseId = responseId;
  const model = stringOf(chunk["model"]);
  out.push({
    type: "status",
    status: "response_started",
    ...(responseId === "" ? {} : { responseId }),
    ...(model === "" ? {} : { model }),
  });
}

/** Each report is a total: the last one counts, never a sum (C15). */
function reportUsage(chunk: WireRecord, out: Event[]): void {
  const usage = usageIn(chunk);
  if (usage !== undefined) out.push({ type: "usage", usage: toUsage(usage) });
}

/** `[DONE]`, or the end of a document: success, even without a reason (F7). */
function end(state: ChatState, out: Event[]): void {
  if (state.phase === "started") finish(state, out);
  else if (state.phase === "new") fail(state, out, "the stream ended before it began");
}

function finish(state: ChatState, out: Event[]): void {
  stopWriting(state, out);
  stopCalls(state, out);
  const raw = state.finishReason;
  const stop = { reason: stopReason(state), ...(raw === "" ? {} : { raw }) };
  out.push({ type: "status", status: "response_finished", stop });
  state.phase = "over";
}

/** Reasons for which calls of the turn may be half or must wait: they are not hidden by a call. */
const CUTTING_REASONS: ReadonlySet<StopReason> = new Set<StopReason>([
  "max_tokens",
  "content_filter",
  "context_window",
  "refusal",
  "error",
]);

/** Many servers say `stop` for calls (C5), and OpenAI says it for a refusal (C14). */
function stopReason({ finishReason, hasRefusal, calls }: ChatState): StopReason {
  const reason = hasRefusal ? "refusal" : knownReason(finishReason);
  return calls.length > 0 && !CUTTING_REASONS.has(reason) ? "tool_use" : reason;
}

function knownReason(raw: string): StopReason {
  if (raw === "") return "none";
  return Object.hasOwn(KNOWN_FINISH_REASONS, raw)
    ? (KNOWN_FINISH_REASONS[raw] ?? "other")
    : "other";
}

/** The answer is broken: asking again may well give a whole one. */
function fail(state: ChatState, out: Event[], problem: string): void {
  abort(state, out, new LlmError("protocol", problem, { retryable: true }));
}

function abort(state: ChatState, out: Event[], error: LlmError): void {
  const blocks = state.calls.map(({ block }) => block);
  for (const index of [state.writing?.block, ...blocks]) {
    if (index !== undefined) out.push({ type: "block_abort", index, reason: error.message });
  }
  state.phase = "over";
  out.push({ type: "error", error: error.toInfo() });
}
