import {
  type Event,
  type Frame,
  isRecord,
  NdjsonDecoder,
  parseJson,
  readErrorBody,
  type ResponseHeaders,
  type Scheme,
  SseDecoder,
  type StopInfo,
  type Usage,
} from "llm-worker";
import { partForm, type Printable, toolCallForm } from "./answer-form.js";
import { type FoldedAnswer, foldEvents } from "./fold-events.js";
import { createScheme, type Wire } from "./wires.js";

/** A recorded answer. */
export interface RecordedAnswer {
  readonly wire: Wire;
  readonly body: Uint8Array;
  /** Default 200. */
  readonly status?: number | undefined;
  /** Names in lower case. */
  readonly headers?: ResponseHeaders | undefined;
  /** Bytes of each piece that the body is fed in; default: all at once. */
  readonly pieceBytes?: number | undefined;
  /** Default: one document is `"document"`, anything else a stream. */
  readonly form?: "document" | "stream" | undefined;
}

/** What a recorded answer comes to, in the form of the recordings' expectations. */
export function decodeAnswer(answer: RecordedAnswer): Printable {
  const { wire, body, status = 200, headers = {} } = answer;
  const text = Buffer.from(body).toString("utf8");
  const scheme = createScheme(wire, { model: "recorded" });
  const isDocument = (answer.form ?? formOf(text)) === "document";
  const head = { format: 1, wire, http: { status }, streamed: !isDocument && status < 400 };
  if (status >= 400) return { ...head, ...failedAnswer(scheme, status, text, headers) };
  if (isDocument && formOf(text) === "document") {
    const events: Event[] = [];
    scheme.parseResponse(text, events);
    return { ...head, ...documentAnswer(foldEvents(events), status, text) };
  }
  const frames = framesOf(scheme, body, answer.pieceBytes ?? body.length);
  const events = eventsOf(scheme, frames);
  return { ...head, ...streamedAnswer(foldEvents(events), scheme, frames, text) };
}

function formOf(text: string): "document" | "stream" {
  return parseJson(text) === undefined ? "stream" : "document";
}

function failedAnswer(
  scheme: Scheme,
  status: number,
  text: string,
  headers: ResponseHeaders,
): Printable {
  const error = scheme.parseError(status, text, headers);
  return {
    outcome: "error",
    error: {
      status,
      ...typeAndCode(text),
      message: error.message,
      retryable: error.retryable,
      retryAfterMs: error.retryAfterMs ?? null,
    },
    llmError: error.toInfo(),
  };
}

function documentAnswer(answer: FoldedAnswer, status: number, text: string): Printable {
  const { error } = answer;
  const stop = stopForm(answer.stop);
  if (error === undefined) return { outcome: "ok", ...contentForm(answer, stop, text) };
  if (error.code === "protocol") {
    return { outcome: "incomplete", ...contentForm(answer, stop, text), llmError: error };
  }
  return {
    outcome: "error_in_200",
    ...contentForm(answer, stop, text),
    error: {
      status,
      ...typeAndCode(text),
      message: error.message,
      // The answer's status and headers, which would say, are those of a success.
      retryable: null,
      retryAfterMs: null,
    },
    llmError: error,
  };
}

function streamedAnswer(
  answer: FoldedAnswer,
  scheme: Scheme,
  frames: readonly Frame[],
  text: string,
): Printable {
  const { error } = answer;
  const stop = stopForm(error === undefined ? answer.stop : stopBefore(scheme, frames));
  const content = contentForm(answer, stop, text);
  if (error === undefined) return { outcome: "ok", ...content };
  if (error.code === "protocol") return { outcome: "incomplete", ...content, llmError: error };
  return {
    outcome: "error_midstream",
    ...content,
    error: { type: error.providerType ?? null, message: error.message },
    llmError: error,
  };
}

function contentForm(answer: FoldedAnswer, stop: Printable, body: string): Printable {
  // What was shown counts although its block was cut off; half a call does not.
  const blocks = answer.blocks.filter(
    ({ kind, isComplete }) => isComplete || (kind !== "tool_call" && kind !== "other"),
  );
  const textOf = (wanted: string): string =>
    blocks.map(({ kind, text }) => (kind === wanted ? text : "")).join("");
  const calls = blocks.filter(({ kind }) => kind === "tool_call");
  const refusal = textOf("refusal");
  return {
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    toolCalls: calls.map((call) => toolCallForm(call, body)),
    ...(refusal === "" ? {} : { refusal }),
    stop,
    usage: usageForm(answer.usage),
    parts: blocks.map((block) => partForm(block, body)),
    ...(answer.model === undefined ? {} : { model: answer.model }),
    ...(answer.responseId === undefined ? {} : { id: answer.responseId }),
  };
}

function stopForm(stop: StopInfo | undefined): Printable {
  const { reason = "none", raw, sequence, detail } = stop ?? {};
  return {
    reason,
    raw: raw ?? null,
    ...(sequence === undefined ? {} : { sequence }),
    ...(detail === undefined ? {} : { detail }),
  };
}

function usageForm(usage: Usage | undefined): Printable | null {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, raw } =
    usage ?? {};
  const counts = {
    inputTotal: inputTokens ?? null,
    cacheRead: cacheReadTokens ?? null,
    cacheWrite: cacheWriteTokens ?? null,
    outputTotal: outputTokens ?? null,
    reasoning: reasoningTokens ?? null,
  };
  return Object.values(counts).every((count) => count === null) ? null : { ...counts, raw };
}

/** What the server called the failure: a number where it is one. */
function typeAndCode(text: string): Printable {
  const { type, code } = readErrorBody(text);
  const isNumber = code !== undefined && /^\d+$/.test(code);
  return { type: type ?? null, code: isNumber ? Number(code) : (code ?? null) };
}

function framesOf(scheme: Scheme, body: Uint8Array, pieceBytes: number): readonly Frame[] {
  const frames: Frame[] = [];
  const decoder = scheme.framing === "sse" ? new SseDecoder() : new NdjsonDecoder();
  const onFrame = (frame: Frame): void => {
    frames.push(frame);
  };
  for (let at = 0; at < body.length; at += pieceBytes) {
    decoder.write(body.subarray(at, at + pieceBytes), onFrame);
  }
  decoder.end(onFrame);
  return frames;
}

function eventsOf(scheme: Scheme, frames: readonly Frame[]): readonly Event[] {
  const state = scheme.createState();
  const events: Event[] = [];
  for (const frame of frames) scheme.parseEvent(frame, state, events);
  scheme.parseEnd(state, events);
  return events;
}

/** How the answer had ended before it failed: a failure can come after the server's stop reason. */
function stopBefore(scheme: Scheme, frames: readonly Frame[]): StopInfo | undefined {
  // On the Responses wire a failure is an end of its own, with this status.
  if (frames.some(isFailedResponse)) return { reason: "error", raw: "failed" };
  const state = scheme.createState();
  const events: Event[] = [];
  const failing = frames.findIndex((frame) => {
    scheme.parseEvent(frame, state, events);
    return events.at(-1)?.type === "error";
  });
  if (failing < 0) return undefined;
  return foldEvents(eventsOf(scheme, frames.slice(0, failing))).stop;
}

function isFailedResponse({ data }: Frame): boolean {
  const payload = parseJson(data);
  return isRecord(payload) && payload["type"] === "response.failed";
}
