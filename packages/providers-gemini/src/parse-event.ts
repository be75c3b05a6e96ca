import {
  beginsLikeObject,
  type Event,
  isRecord,
  listOf,
  LlmError,
  numberOf,
  parseJson,
  type StopReason,
  stringOf,
  type Usage,
  type WireRecord,
} from "llm-worker";
import { closeText, readPart } from "./parse-block.js";
import { parseErrorEvent } from "./parse-error.js";
import type { GeminiState } from "./state.js";
import { KNOWN_FINISH_REASONS } from "./wire.js";

/** Decodes the data of one server-sent event. */
export function parseEvent(data: string, state: GeminiState, out: Event[]): void {
  // `[DONE]`, keep-alives and the like: gateways put them into streams of any wire (F9).
  if (state.phase === "over" || !beginsLikeObject(data)) return;
  const chunk = state.json.parse(data);
  if (isRecord(chunk)) readChunk(chunk, state, out);
  else fail(state, out, "the server sent an event that is not JSON");
}

/**
 * Decodes the end of the stream, which is the end of the answer if there was a finish reason: the
 * wire has no other mark (G9). Without one the answer is cut (F6).
 */
export function parseEnd(state: GeminiState, out: Event[]): void {
  if (state.phase === "over") return;
  if (state.finishReason === undefined && state.promptFeedback === undefined) {
    fail(state, out, "the stream ended without finishReason: the answer is incomplete");
    return;
  }
  const reason = stopReason(state);
  if (state.openCall !== undefined && reason === "tool_use") {
    fail(state, out, "the stream ended within the arguments of a call: the answer is incomplete");
    return;
  }
  abortCall(state, out, "the answer was cut within the arguments of this call");
  finish(reason, state, out);
}

/**
 * Decodes an answer that is one document: a chunk, or the list of them that a stream without
 * `alt=sse` is (G17).
 */
export function parseResponse(body: string, state: GeminiState, out: Event[]): void {
  const answer = parseJson(body);
  const chunks = Array.isArray(answer) ? answer : [answer];
  for (const chunk of chunks) if (isRecord(chunk)) readChunk(chunk, state, out);
  if (state.phase === "new") {
    const problem = "the answer has no candidates; check that baseUrl names a Gemini API";
    fail(state, out, problem);
  }
  parseEnd(state, out);
}

function readChunk(chunk: WireRecord, state: GeminiState, out: Event[]): void {
  const { error, candidates, promptFeedback, usageMetadata } = chunk;
  if (state.phase === "over") return;
  if (error !== undefined && error !== null) {
    abort(state, out, parseErrorEvent(chunk));
    return;
  }
  // Kinds of events that are newer than this code have none of these (F12).
  if (!isObject(candidates) && !isObject(promptFeedback) && !isObject(usageMetadata)) return;
  start(chunk, state, out);
  const candidate = firstCandidate(candidates);
  if (candidate !== undefined && !readCandidate(candidate, state, out)) {
    fail(state, out, "the server sent a part that cannot be read");
    return;
  }
  if (isRecord(promptFeedback) && stringOf(promptFeedback["blockReason"]) !== "") {
    state.promptFeedback = promptFeedback;
  }
  if (isRecord(usageMetadata)) {
    // Each chunk repeats the totals so far: each field in its latest value, never a sum (G11).
    state.usage = latestOf(state.usage, usageMetadata);
    out.push({ type: "usage", usage: toUsage(state.usage) });
  }
}

function start({ responseId, modelVersion }: WireRecord, state: GeminiState, out: Event[]): void {
  if (state.phase !== "new") return;
  state.phase = "started";
  state.responseId = stringOf(responseId);
  out.push({
    type: "status",
    status: "response_started",
    ...(typeof responseId === "string" ? { responseId } : {}),
    ...(typeof modelVersion === "string" ? { model: modelVersion } : {}),
  });
}

/** Only one candidate is asked for; the first may leave out its index. */
function firstCandidate(candidates: unknown): WireRecord | undefined {
  return listOf(candidates).find(isFirst);
}

function isFirst(candidate: unknown): candidate is WireRecord {
  return isRecord(candidate) && (numberOf(candidate["index"]) ?? 0) === 0;
}

/** `false` if a part of it cannot be read. The last candidate may have no parts, or no content (G9). */
function readCandidate(candidate: WireRecord, state: GeminiState, out: Event[]): boolean {
  const { content, finishReason, finishMessage } = candidate;
  const parts = isRecord(content) ? listOf(content["parts"]) : [];
  for (const part of parts) {
    if (isRecord(part) && !readPart(part, state, out)) return false;
  }
  const reason = stringOf(finishReason);
  if (reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED") state.finishReason = reason;
  if (typeof finishMessage === "string") state.finishMessage = finishMessage;
  return true;
}

/** Thinking is not among the candidates' tokens, nor what tools put in among the prompt's (G12). */
function toUsage(raw: WireRecord): Usage {
  const reasoningTokens = numberOf(raw["thoughtsTokenCount"]);
  return {
    inputTokens: sumOf(raw["promptTokenCount"], raw["toolUsePromptTokenCount"]),
    cacheReadTokens: numberOf(raw["cachedContentTokenCount"]),
    outputTokens: sumOf(raw["candidatesTokenCount"], reasoningTokens),
    reasoningTokens,
    raw,
  };
}

function sumOf(one: unknown, other: unknown): number | undefined {
  const first = numberOf(one);
  const second = numberOf(other);
  return first === undefined ? second : first + (second ?? 0);
}

/** What was reported before, each field that is reported anew replaced. */
function latestOf(before: WireRecord, reported: WireRecord): WireRecord {
  // A copy, as the chunk is used again.
  if (isWhole(reported, before)) return { ...reported };
  const given = Object.entries(reported).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(given) };
}

/** Whether a report has all that was reported before, as those of most chunks do. */
function isWhole(reported: WireRecord, before: WireRecord): boolean {
  for (const field in before) if (reported[field] === undefined) return false;
  for (const field in reported) if (reported[field] === null) return false;
  return true;
}

function isObject(value: unknown): boolean {
  return typeof value === "object";
}

function finish(reason: StopReason, state: GeminiState, out: Event[]): void {
  closeText(state, out);
  const { finishReason, finishMessage, promptFeedback } = state;
  const raw = finishReason ?? stringOf(promptFeedback?.["blockReason"]);
  const detail = finishMessage === undefined ? promptFeedback : { finishMessage };
  out.push({
    type: "status",
    status: "response_finished",
    stop: { reason, raw, ...(detail === undefined ? {} : { detail }) },
  });
  state.phase = "over";
}

/** Reasons for which calls of the turn may be half, or must not run: they are not hidden by a call. */
const CUTTING_REASONS: ReadonlySet<StopReason> = new Set<StopReason>([
  "max_tokens",
  "content_filter",
  "error",
]);

/** A turn with calls says STOP too (G10). */
function stopReason({ finishReason, hasToolCalls }: GeminiState): StopReason {
  // Only a refused prompt has no finish reason (G14).
  const reason = finishReason === undefined ? "content_filter" : knownReason(finishReason);
  return hasToolCalls && !CUTTING_REASONS.has(reason) ? "tool_use" : reason;
}

function knownReason(raw: string): StopReason {
  return Object.hasOwn(KNOWN_FINISH_REASONS, raw)
    ? KNOWN_FINISH_REASONS[raw as keyof typeof KNOWN_FINISH_REASONS]
    : "other";
}

/** The answer is broken: asking again may well give a whole one. */
function fail(state: GeminiState, out: Event[], problem: string): void {
  abort(state, out, new LlmError("protocol", problem, { retryable: true }));
}

function abort(state: GeminiState, out: Event[], error: LlmError): void {
  if (state.openText !== undefined) {
    out.push({ type: "block_abort", index: state.openText.index, reason: error.message });
    state.openText = undefined;
  }
  abortCall(state, out, error.message);
  state.phase = "over";
  out.push({ type: "error", error: error.toInfo() });
}

function abortCall(state: GeminiState, out: Event[], reason: string): void {
  if (state.openCall === undefined) return;
  out.push({ type: "block_abort", index: state.openCall.index, reason });
  state.openCall = undefined;
}
