import { cutText } from "../../pieces.js";
import type { PromptUsage } from "../../prompt-cache.js";
import type { Random } from "../../random.js";
import { type Answer, countTokens, parseInput } from "../answer.js";
import { makeId, PLAIN_CHARACTERS } from "../ids.js";
import { signThinking } from "./signature.js";

/** An answer with all that goes on the wire. */
export interface Message extends Answer {
  readonly id: string;
  readonly model: string;
  /** Thinking is sent as a signature without its text. */
  readonly isThinkingOmitted: boolean;
  readonly usage: PromptUsage;
}

/** One event of the stream. */
export type StreamEvent = { readonly type: string } & Fields;

type Fields = Readonly<Record<string, unknown>>;

/** A content block as it is opened, filled piece by piece, and whole. */
interface Block {
  readonly opened: Fields;
  readonly deltas: (random: Random) => Fields[];
  readonly whole: Fields;
}

const STOP_REASONS = {
  done: "end_turn",
  calls: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
} as const;

/** The answer as the events of a stream. */
export function streamEvents(message: Message, random: Random): StreamEvent[] {
  return [
    { type: "message_start", message: messageStart(message) },
    ...writeBlocks(message, random).flatMap((block, index) => blockEvents(block, index, random)),
    {
      type: "message_delta",
      delta: {
        stop_reason: STOP_REASONS[message.end],
        stop_sequence: message.stopSequence,
        stop_details: null,
        container: null,
      },
      usage: finalUsage(message),
    },
    { type: "message_stop" },
  ];
}

/** The answer as one JSON document. */
export function wholeMessage(message: Message, random: Random): Fields {
  return {
    ...messageStart(message),
    content: writeBlocks(message, random).map(({ whole }) => whole),
    stop_reason: STOP_REASONS[message.end],
    stop_sequence: message.stopSequence,
    usage: { ...startUsage(message), ...finalUsage(message) },
  };
}

/** Server-sent events as the provider frames them: `event:`, `data:`, an empty line; LF. */
export function encodeEvents(events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function messageStart(message: Message): Fields {
  return {
    id: message.id,
    type: "message",
    role: "assistant",
    model: message.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: startUsage(message),
  };
}

function startUsage(message: Message): Fields {
  const { cacheWriteTokens } = message.usage;
  return {
    ...inputUsage(message.usage),
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

function finalUsage(message: Message): Fields {
  const { total, thinking } = countTokens(message);
  return {
    ...inputUsage(message.usage),
    output_tokens: total,
    output_tokens_details: { thinking_tokens: thinking },
    server_tool_use: null,
  };
}

function inputUsage(usage: PromptUsage): Fields {
  return {
    input_tokens: usage.uncachedTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens["5m"] + usage.cacheWriteTokens["1h"],
    cache_read_input_tokens: usage.cacheReadTokens,
  };
}

function blockEvents(block: Block, index: number, random: Random): StreamEvent[] {
  const start = { type: "content_block_start", index, content_block: block.opened };
  const deltas = block.deltas(random).map((delta) => ({
    type: "content_block_delta",
    index,
    delta,
  }));
  // The provider sends its first ping right behind the start of the first block.
  const ping = index === 0 ? [{ type: "ping" }] : [];
  return [start, ...ping, ...deltas, { type: "content_block_stop", index }];
}

function writeBlocks(message: Message, random: Random): Block[] {
  return message.parts.map((part): Block => {
    switch (part.type) {
      case "text":
        return textBlock(part.text);
      case "thinking":
        return thinkingBlock(message.isThinkingOmitted ? "" : part.text);
      case "call": {
        const id = makeId("toolu_01", random, 22, PLAIN_CHARACTERS);
        return callBlock(id, part.name, part.json);
      }
    }
  });
}

function textBlock(text: string): Block {
  return {
    opened: { type: "text", text: "", citations: null },
    deltas: (random) => cutText(text, random).map((piece) => ({ type: "text_delta", text: piece })),
    whole: { type: "text", text, citations: null },
  };
}

function thinkingBlock(thinking: string): Block {
  const signature = signThinking(thinking);
  return {
    opened: { type: "thinking", thinking: "", signature: "" },
    deltas: (random) => [
      ...cutText(thinking, random).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature },
    ],
    whole: { type: "thinking", thinking, signature },
  };
}

function callBlock(id: string, name: string, json: string): Block {
  const opened = { type: "tool_use", id, name, input: {}, caller: { type: "direct" } };
  return {
    opened,
    deltas: (random) =>
      ["", ...cutText(json, random)].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
    // An input that `max_tokens` has cut is no JSON: the provider gives an empty one then.
    whole: { ...opened, input: parseInput(json) ?? {} },
  };
}
