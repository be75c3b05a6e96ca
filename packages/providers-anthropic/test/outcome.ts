import type { BlockKind, Event, JsonValue, LlmErrorInfo, StopInfo, Usage } from "llm-worker";

/** What a response came to, told from its events alone: the form of the recordings' expectations. */
export interface Outcome {
  readonly outcome: "ok" | "error_midstream" | "incomplete";
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: unknown }[];
  readonly stopReason: string | undefined;
  readonly usage: OutcomeUsage;
  /** Kinds of the blocks that were stopped, in order. */
  readonly parts: readonly string[];
  readonly error: LlmErrorInfo | undefined;
}

export interface OutcomeUsage {
  readonly inputTotal: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly outputTotal: number | null;
  readonly reasoning: number | null;
}

interface OpenBlock {
  readonly kind: BlockKind;
  readonly callId: string;
  readonly name: string;
  text: string;
}

const PART_OF_KIND = {
  text: "text",
  thinking: "reasoning",
  tool_use: "tool_call",
  opaque: "other",
} as const;

/** Folds a response's events, and checks on the way that every block begins and ends once. */
export function toOutcome(events: readonly Event[]): Outcome {
  const open = new Map<number, OpenBlock>();
  const done: OpenBlock[] = [];
  let stop: StopInfo | undefined;
  let error: LlmErrorInfo | undefined;
  let usage: Usage = {};
  for (const event of events) {
    if (error !== undefined) throw new Error(`${event.type} after the error`);
    switch (event.type) {
      case "block_start": {
        if (open.has(event.index)) throw new Error(`block ${event.index} began twice`);
        const { callId, name } = event.kind === "tool_use" ? event : { callId: "", name: "" };
        open.set(event.index, { kind: event.kind, callId, name, text: "" });
        break;
      }
      case "block_delta":
        openBlock(open, event.index).text += event.text;
        break;
      case "block_stop":
        done.push(openBlock(open, event.index));
        open.delete(event.index);
        break;
      case "block_abort":
        openBlock(open, event.index);
        open.delete(event.index);
        break;
      case "usage":
        usage = { ...usage, ...event.usage };
        break;
      case "status":
        if (event.status === "response_finished") stop = event.stop;
        if (event.status === "response_restarted") done.length = 0;
        break;
      case "error":
        error = event.error;
        break;
      case "ping":
        break;
    }
  }
  if (open.size > 0) throw new Error("blocks were left open");
  return {
    outcome:
      error === undefined ? "ok" : error.code === "protocol" ? "incomplete" : "error_midstream",
    text: textOf(done, "text"),
    reasoning: textOf(done, "thinking"),
    toolCalls: done
      .filter((block) => block.kind === "tool_use")
      .map(({ callId, name, text }) => ({ id: callId, name, arguments: argumentsOf(text) })),
    stopReason: stop?.reason,
    usage: {
      inputTotal: usage.inputTokens ?? null,
      cacheRead: usage.cacheReadTokens ?? null,
      cacheWrite: usage.cacheWriteTokens ?? null,
      outputTotal: usage.outputTokens ?? null,
      reasoning: usage.reasoningTokens ?? null,
    },
    parts: done.map(({ kind }) => PART_OF_KIND[kind]),
    error,
  };
}

function openBlock(open: ReadonlyMap<number, OpenBlock>, index: number): OpenBlock {
  const block = open.get(index);
  if (block === undefined) throw new Error(`block ${index} is not open`);
  return block;
}

function textOf(blocks: readonly OpenBlock[], kind: BlockKind): string {
  return blocks
    .filter((block) => block.kind === kind)
    .map(({ text }) => text)
    .join("");
}

function argumentsOf(text: string): JsonValue {
  if (text === "") return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return { $unparsed: text };
  }
}
