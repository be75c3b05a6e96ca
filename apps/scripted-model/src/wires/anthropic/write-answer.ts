import { isObject } from "../../json.js";
import { cutText } from "../../pieces.js";
import { estimateTokens, type PromptUsage } from "../../prompt-cache.js";
import type { Random } from "../../random.js";
import { type AnswerBlock, type AnswerContent, blockText } from "./answer-blocks.js";

/** An answer with all that goes on the wire. */
export interface Answer extends AnswerContent {
  readonly id: string;
  readonly model: string;
  readonly usage: PromptUsage;
}

/** One event of the stream. */
export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The answer as the events of a stream. */
export function streamEvents(answer: Answer, random: Random): StreamEvent[] {
  return [
    { type: "message_start", message: messageStart(answer) },
    ...answer.blocks.flatMap((block, index) => blockEvents(block, index, random)),
    {
      type: "message_delta",
      delta: {
        stop_reason: answer.stopReason,
        stop_sequence: answer.stopSequence,
        stop_details: null,
        container: null,
      },
      usage: finalUsage(answer),
    },
    { type: "message_stop" },
  ];
}

/** The answer as one JSON document. */
export function wholeMessage(answer: Answer): Readonly<Record<string, unknown>> {
  return {
    ...messageStart(answer),
    content: answer.blocks.map((block) => ({ ...openBlock(block), ...filledBlock(block) })),
    stop_reason: answer.stopReason,
    stop_sequence: answer.stopSequence,
    usage: { ...startUsage(answer), ...finalUsage(answer) },
  };
}

/** Server-sent events as the provider frames them: `event:`, `data:`, an empty line; LF. */
export function encodeEvents(events: readonly StreamEvent[]): Uint8Array {
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return Buffer.from(frames.join(""));
}

function messageStart(answer: Answer): Readonly<Record<string, unknown>> {
  return {
    id: answer.id,
    type: "message",
    role: "assistant",
    model: answer.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: startUsage(answer),
  };
}

function startUsage(answer: Answer): Readonly<Record<string, unknown>> {
  const { cacheWriteTokens } = answer.usage;
  return {
    ...inputUsage(answer.usage),
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens["5m"],
      ephemeral_1h_input_tokens: cacheWriteTokens["1h"],
    },
    output_tokens: 1,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: "standard",
    inference_geo: "not_available",
    speed: null,
  };
}

function finalUsage(answer: Answer): Readonly<Record<string, unknown>> {
  const tokens = answer.blocks.map((block) => ({
    isThinking: block.type === "thinking",
    count: estimateTokens(blockText(block)),
  }));
  const sum = (counted: typeof tokens): number =>
    counted.reduce((total, { count }) => total + count, 0);
  return {
    ...inputUsage(answer.usage),
    output_tokens: Math.max(1, sum(tokens)),
    output_tokens_details: { thinking_tokens: sum(tokens.filter(({ isThinking }) => isThinking)) },
    server_tool_use: null,
  };
}

function inputUsage(usage: PromptUsage): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.uncachedTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens["5m"] + usage.cacheWriteTokens["1h"],
    cache_read_input_tokens: usage.cacheReadTokens,
  };
}

function blockEvents(block: AnswerBlock, index: number, random: Random): StreamEvent[] {
  const start = { type: "content_block_start", index, content_block: openBlock(block) };
  const deltas = blockDeltas(block, random).map((delta) => ({
    type: "content_block_delta",
    index,
    delta,
  }));
  // The provider sends its first ping right behind the start of the first block.
  const ping = index === 0 ? [{ type: "ping" }] : [];
  return [start, ...ping, ...deltas, { type: "content_block_stop", index }];
}

function blockDeltas(block: AnswerBlock, random: Random): Readonly<Record<string, unknown>>[] {
  const pieces = cutText(blockText(block), random);
  switch (block.type) {
    case "text":
      return pieces.map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...pieces.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use":
      return ["", ...pieces].map((piece) => ({ type: "input_json_delta", partial_json: piece }));
  }
}

function openBlock(block: AnswerBlock): Readonly<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      return { type: "text", text: "", citations: null };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_use":
      return {
        type: "tool_use",
        id: block.id,
        name: block.name,
        input: {},
        caller: { type: "direct" },
      };
  }
}

function filledBlock(block: AnswerBlock): Readonly<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "thinking":
      return { thinking: block.thinking, signature: block.signature };
    case "tool_use":
      return { input: parseInput(block.json) };
  }
}

/** An input that `max_tokens` has cut is no JSON: the provider gives an empty one then. */
function parseInput(json: string): unknown {
  try {
    const input: unknown = JSON.parse(json);
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}
