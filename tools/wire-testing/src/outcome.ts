import type { BlockStartEvent, Event, JsonValue, LlmErrorInfo, StopInfo, Usage } from "llm-worker";

/** What a response came to, told from its events alone: the form of the recordings' expectations. */
export interface Outcome {
  readonly outcome: "ok" | "error_midstream" | "incomplete";
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: unknown }[];
  readonly stopReason: string | undefined;
  readonly usage: OutcomeUsage;
  /** Kinds of the blocks in the order in which they began. */
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

interface Block {
  readonly part: "text" | "refusal" | "reasoning" | "tool_call" | "other";
  readonly callId: string;
  readonly name: string;
  text: string;
  isAborted: boolean;
}

const PART_OF_KIND = {
  text: "text",
  thinking: "reasoning",
  tool_use: "tool_call",
  opaque: "other",
} as const;

/**
 * Folds a response's events, and checks on the way that every block begins and ends once and that
 * nothing follows the end. Text that had arrived counts, also if its block was aborted; a call does not.
 */
export function toOutcome(events: readonly Event[]): Outcome {
  const open = new Map<number, Block>();
  let blocks: Block[] = [];
  let stop: StopInfo | undefined;
  let error: LlmErrorInfo | undefined;
  let usage: Usage = {};
  for (const event of events) {
    if (error !== undefined) throw new Error(`${event.type} after the error`);
    if (stop !== undefined && event.type !== "usage")
      throw new Error(`${event.type} after the end`);
    switch (event.type) {
      case "block_start": {
        if (open.has(event.index)) throw new Error(`block ${event.index} began twice`);
        const block = newBlock(event);
        open.set(event.index, block);
        blocks.push(block);
        break;
      }
      case "block_delta":
        openBlock(open, event.index).text += event.text;
        break;
      case "block_stop":
        openBlock(open, event.index);
        open.delete(event.index);
        break;
      case "block_abort":
        openBlock(open, event.index).isAborted = true;
        open.delete(event.index);
        break;
      case "usage":
        usage = { ...usage, ...event.usage };
        break;
      case "status":
        if (event.status === "response_finished") stop = event.stop;
        if (event.status === "response_restarted") blocks = [];
        break;
      case "error":
        error = event.error;
        break;
      case "ping":
        break;
    }
  }
  if (open.size > 0) throw new Error("blocks were left open");
  if (error === undefined && stop === undefined) throw new Error("the response has no end");
  const shown = blocks.filter(({ part, isAborted }) => !isAborted || SHOWN_PARTS.has(part));
  const textOf = (wanted: Block["part"]): string =>
    shown.map(({ part, text }) => (part === wanted ? text : "")).join("");
  return {
    outcome:
      error === undefined ? "ok" : error.code === "protocol" ? "incomplete" : "error_midstream",
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    refusal: textOf("refusal"),
    toolCalls: shown
      .filter(({ part }) => part === "tool_call")
      .map(({ callId, name, text }) => ({ id: callId, name, arguments: argumentsOf(text) })),
    stopReason: stop?.reason,
    usage: {
      inputTotal: usage.inputTokens ?? null,
      cacheRead: usage.cacheReadTokens ?? null,
      cacheWrite: usage.cacheWriteTokens ?? null,
      outputTotal: usage.outputTokens ?? null,
      reasoning: usage.reasoningTokens ?? null,
    },
    parts: shown.map(({ part }) => part),
    error,
  };
}

const SHOWN_PARTS: ReadonlySet<Block["part"]> = new Set<Block["part"]>([
  "text",
  "refusal",
  "reasoning",
]);

function newBlock(event: BlockStartEvent): Block {
  const isRefusal = event.kind === "text" && event.isRefusal === true;
  const { callId, name } = event.kind === "tool_use" ? event : { callId: "", name: "" };
  const part = isRefusal ? "refusal" : PART_OF_KIND[event.kind];
  return { part, callId, name, text: "", isAborted: false };
}

function openBlock(open: ReadonlyMap<number, Block>, index: number): Block {
  const block = open.get(index);
  if (block === undefined) throw new Error(`block ${index} is not open`);
  return block;
}

function argumentsOf(text: string): JsonValue {
  if (text === "") return {};
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return { $unparsed: text };
  }
}
