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
import { closeBlock, pushText, pushToolCall } from "./parse-block.js";
import { parseErrorEvent } from "./parse-error.js";
import type { OllamaState } from "./state.js";
import { KNOWN_DONE_REASONS } from "./wire.js";

/** Decodes one line. */
export function parseEvent(data: string, state: OllamaState, out: Event[]): void {
  // `[DONE]`, comments and the like: gateways put them into streams of any wire (F5, F9).
  if (state.phase === "over" || !beginsLikeObject(data)) return;
  const line = state.json.parse(data);
  if (isRecord(line)) readLine(line, state, out);
  else fail(state, out, "the server sent a line that is not JSON");
}

/** Decodes the end of the stream: without a line that says `done` the answer is cut (F6, L5). */
export function parseEnd(state: OllamaState, out: Event[]): void {
  if (state.phase === "over") return;
  fail(state, out, "the stream ended without done: true: the answer is incomplete");
}

/** Decodes an answer that is one document: the same as a stream of one line. */
export function parseResponse(body: string, state: OllamaState, out: Event[]): void {
  const answer = parseJson(body);
  if (isRecord(answer) && (answer["message"] !== undefined || hasError(answer))) {
    readLine(answer, state, out);
    parseEnd(state, out);
  } else {
    fail(state, out, "the answer is not a chat message; check that baseUrl names an Ollama server");
  }
}

function readLine(line: WireRecord, state: OllamaState, out: Event[]): void {
  if (hasError(line)) {
    abort(state, out, parseErrorEvent(line));
    return;
  }
  start(line, state, out);
  const message = line["message"];
  if (isRecord(message)) {
    pushText("thinking", message["thinking"], state, out);
    pushText("text", message["content"], state, out);
    for (const call of listOf(message["tool_calls"])) {
      if (pushToolCall(call, stringOf(line["created_at"]), state, out)) continue;
      fail(state, out, "the server sent a tool call that cannot be read");
      return;
    }
  }
  if (line["done"] === true) finish(line, state, out);
}

function hasError({ error }: WireRecord): boolean {
  return error !== undefined && error !== null && error !== "";
}

function start({ model }: WireRecord, state: OllamaState, out: Event[]): void {
  if (state.phase !== "new") return;
  state.phase = "started";
  out.push({
    type: "status",
    status: "response_started",
    ...(typeof model === "string" ? { model } : {}),
  });
}

function finish(line: WireRecord, state: OllamaState, out: Event[]): void {
  closeBlock(state, out);
  const raw = line["done_reason"];
  out.push(
    { type: "usage", usage: toUsage(line) },
    {
      type: "status",
      status: "response_finished",
      stop: {
        reason: stopReason(raw, state.toolCallCount > 0),
        ...(typeof raw === "string" ? { raw } : {}),
      },
    },
  );
  state.phase = "over";
}

/** Counts and durations (in nanoseconds); a prompt that was cached whole has no count. */
function toUsage(line: WireRecord): Usage {
  return {
    inputTokens: numberOf(line["prompt_eval_count"]),
    outputTokens: numberOf(line["eval_count"]),
    raw: Object.fromEntries(
      Object.entries(line).filter(([name]) => /_(count|duration)$/.test(name)),
    ),
  };
}

/** A turn with calls says `stop` too (L8); one that was cut may lack some of them. */
function stopReason(raw: unknown, hasToolCalls: boolean): StopReason {
  const reason = knownReason(raw);
  return hasToolCalls && reason !== "max_tokens" ? "tool_use" : reason;
}

function knownReason(raw: unknown): StopReason {
  if (typeof raw !== "string" || raw === "") return "none";
  return Object.hasOwn(KNOWN_DONE_REASONS, raw)
    ? KNOWN_DONE_REASONS[raw as keyof typeof KNOWN_DONE_REASONS]
    : "other";
}

/** The answer is broken: asking again may well give a whole one. */
function fail(state: OllamaState, out: Event[], problem: string): void {
  abort(state, out, new LlmError("protocol", problem, { retryable: true }));
}

function abort(state: OllamaState, out: Event[], error: LlmError): void {
  if (state.open !== undefined) {
    out.push({ type: "block_abort", index: state.open.index, reason: error.message });
    state.open = undefined;
  }
  state.phase = "over";
  out.push({ type: "error", error: error.toInfo() });
}
