import type { Provider, StreamOptions } from "../../src/client/provider.js";
import type { Event, StopReason } from "../../src/model/event.js";
import type { Item } from "../../src/model/item.js";
import type { LlmRequest } from "../../src/model/request.js";

/** What a scripted model does with one request: events in batches, or a function that makes them. */
export type Step = readonly Event[] | ((request: LlmRequest, signal: AbortSignal) => Reaction);
export type Reaction = readonly Event[] | AsyncIterable<readonly Event[]>;

/** A provider that plays its steps in order and keeps each request as JSON would send it. */
export class ScriptedProvider implements Provider {
  readonly name = "scripted";
  readonly model = "scripted-1";
  readonly requests: LlmRequest[] = [];
  readonly #steps: Step[];

  constructor(...steps: Step[]) {
    this.#steps = steps;
  }

  async *stream(
    request: LlmRequest,
    options: StreamOptions = {},
  ): AsyncGenerator<readonly Event[], void, undefined> {
    const body = JSON.stringify(request);
    this.requests.push(JSON.parse(body) as LlmRequest);
    options.onRequest?.({ bodyBytes: Buffer.byteLength(body) });
    const step = this.#steps.shift();
    if (step === undefined) throw new Error("the script has no step for this request");
    const signal = options.signal ?? new AbortController().signal;
    const reaction = typeof step === "function" ? step(request, signal) : step;
    if (Symbol.asyncIterator in reaction) yield* reaction;
    else yield reaction;
  }
}

/** The events of an answer that says `text` and stops. */
export function says(text: string, reason: StopReason = "end"): readonly Event[] {
  return [
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text },
    { type: "block_stop", index: 0 },
    ...finished(reason),
  ];
}

export interface ScriptedCall {
  readonly name: string;
  readonly input?: unknown;
  readonly callId?: string;
  /** Raw text in the place of `input`. */
  readonly arguments?: string;
}

/** The events of an answer that calls tools; ids are `call_1`, `call_2` … unless given. */
export function calls(...made: readonly ScriptedCall[]): readonly Event[] {
  return [
    ...made.flatMap((call, index): Event[] => [
      {
        type: "block_start",
        index,
        kind: "tool_use",
        callId: call.callId ?? `call_${index + 1}`,
        name: call.name,
      },
      { type: "block_delta", index, text: call.arguments ?? JSON.stringify(call.input ?? {}) },
      { type: "block_stop", index },
    ]),
    ...finished("tool_use"),
  ];
}

export function finished(reason: StopReason, tokens = 10): readonly Event[] {
  return [
    { type: "usage", usage: { inputTokens: tokens, outputTokens: 1 } },
    { type: "status", status: "response_finished", stop: { reason, raw: reason } },
  ];
}

/** Fails the test unless each call has exactly one result behind it and no result is left over. */
export function assertPaired(items: readonly Item[]): void {
  const open: string[] = [];
  for (const item of items) {
    if (item.type === "tool_call") open.push(item.callId);
    if (item.type !== "tool_result") continue;
    const position = open.indexOf(item.callId);
    if (position < 0) throw new Error(`result without call: ${item.callId}`);
    open.splice(position, 1);
  }
  if (open.length > 0) throw new Error(`calls without result: ${open.join(", ")}`);
}
