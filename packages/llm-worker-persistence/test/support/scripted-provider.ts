import type { Event, LlmRequest, Provider, StopReason } from "llm-worker";

/** A provider that plays answers in order and keeps each request as JSON would send it. */
export class ScriptedProvider implements Provider {
  readonly name = "scripted";
  readonly model = "scripted-1";
  readonly requests: LlmRequest[] = [];
  readonly answers: (readonly Event[])[];

  constructor(...answers: (readonly Event[])[]) {
    this.answers = answers;
  }

  async *stream(
    request: LlmRequest,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<readonly Event[], void, undefined> {
    this.requests.push(JSON.parse(JSON.stringify(request)) as LlmRequest);
    for (const event of this.answers.shift() ?? says("nothing more")) {
      if (options.signal?.aborted === true) return;
      yield [event];
    }
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

/** The events of an answer that calls tools. */
export function calls(
  ...made: readonly { readonly name: string; readonly callId: string; readonly input?: unknown }[]
): readonly Event[] {
  return [
    ...made.flatMap(({ name, callId, input }, index): Event[] => [
      { type: "block_start", index, kind: "tool_use", callId, name },
      { type: "block_delta", index, text: JSON.stringify(input ?? {}) },
      { type: "block_stop", index },
    ]),
    ...finished("tool_use"),
  ];
}

export function finished(reason: StopReason): readonly Event[] {
  return [
    { type: "usage", usage: { inputTokens: 10, outputTokens: 1 } },
    { type: "status", status: "response_finished", stop: { reason, raw: reason } },
  ];
}
