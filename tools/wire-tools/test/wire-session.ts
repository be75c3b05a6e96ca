import type { Event, Item, LlmRequest, Provider, Scheme, StreamOptions } from "llm-worker";
import { createScheme, type Wire } from "../src/wires.js";

/** Models whose rules are the strictest that each wire has. */
const MODELS: Readonly<Record<Wire, string>> = {
  anthropic: "claude-sonnet-5",
  "openai-chat": "gpt-5.6",
  "openai-responses": "gpt-5.6",
  gemini: "gemini-3-pro",
  ollama: "qwen3",
};

export const ALL_WIRES = Object.keys(MODELS) as readonly Wire[];

export function schemeOf(wire: Wire): Scheme {
  return createScheme(wire, { model: MODELS[wire] });
}

/** What the model does with one request. */
export type Script = (request: LlmRequest, signal: AbortSignal | undefined) => readonly Event[];

/** A provider that builds each request as its wire would, keeps it, and answers from a script. */
export class WireSession implements Provider {
  readonly name: string;
  readonly model: string;
  readonly scheme: Scheme;
  readonly requests: LlmRequest[] = [];
  readonly bodies: string[] = [];
  readonly #script: Script[];

  constructor(wire: Wire, ...script: readonly Script[]) {
    this.scheme = schemeOf(wire);
    this.name = wire;
    this.model = MODELS[wire];
    this.#script = [...script];
  }

  async *stream(
    request: LlmRequest,
    { signal, onRequest }: StreamOptions = {},
  ): AsyncGenerator<readonly Event[]> {
    this.requests.push({ ...request, items: [...request.items] });
    const body = String(this.scheme.buildRequest(request).body);
    this.bodies.push(body);
    onRequest?.({ bodyBytes: Buffer.byteLength(body) });
    const step = this.#script.shift() ?? says("the script is over");
    for (const event of step(request, signal)) {
      yield [event];
    }
  }
}

export function says(text: string): Script {
  return () => [
    { type: "block_start", index: 0, kind: "text" },
    { type: "block_delta", index: 0, text },
    { type: "block_stop", index: 0 },
    { type: "status", status: "response_finished", stop: { reason: "end" } },
  ];
}

export interface MadeCall {
  readonly name: string;
  readonly callId: string;
  readonly input?: unknown;
}

/** An answer that thinks, says something and calls tools, as agents do. */
export function callsTools(...made: readonly MadeCall[]): Script {
  return () => [
    { type: "block_start", index: 0, kind: "thinking" },
    { type: "block_delta", index: 0, text: "I need a tool." },
    { type: "block_stop", index: 0 },
    { type: "block_start", index: 1, kind: "text" },
    { type: "block_delta", index: 1, text: "Let me look." },
    { type: "block_stop", index: 1 },
    ...made.flatMap(({ name, callId, input = {} }, i): Event[] => [
      { type: "block_start", index: i + 2, kind: "tool_use", callId, name },
      { type: "block_delta", index: i + 2, text: JSON.stringify(input) },
      { type: "block_stop", index: i + 2 },
    ]),
    { type: "usage", usage: { inputTokens: 1000, outputTokens: 20 } },
    { type: "status", status: "response_finished", stop: { reason: "tool_use" } },
  ];
}

/** Inspects the newest stored output of the history. */
export function inspectsNewest(callId: string, selector?: string): Script {
  return (request, signal) => {
    const stored = request.items.findLast(
      (item): item is Extract<Item, { type: "tool_result" }> =>
        item.type === "tool_result" && item.blob !== undefined,
    );
    const input = {
      blob_id: stored?.blob?.id ?? "none",
      ...(selector === undefined ? {} : { selector }),
    };
    return callsTools({ name: "inspect", callId, input })(request, signal);
  };
}
