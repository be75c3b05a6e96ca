import { namedEvent, type Wire } from "./wire.js";

const MODEL = "claude-sonnet-5";

/** Anthropic Messages: one thinking block, one text block, one block for each call. */
export const anthropic: Wire = {
  name: "anthropic",
  contentType: "text/event-stream; charset=utf-8",
  streamsArguments: true,
  frames({ thinking, text, calls }) {
    const frames: string[] = [];
    let index = -1;
    const start = (content_block: unknown): void => {
      index += 1;
      frames.push(namedEvent({ type: "content_block_start", index, content_block }));
    };
    const delta = (value: unknown): void =>
      void frames.push(namedEvent({ type: "content_block_delta", index, delta: value }));
    const stop = (): void => void frames.push(namedEvent({ type: "content_block_stop", index }));

    const usage = {
      input_tokens: 2095,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
      service_tier: "standard",
    };
    frames.push(
      namedEvent({
        type: "message_start",
        message: {
          id: "msg_00000000000000000000000001",
          type: "message",
          role: "assistant",
          model: MODEL,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      }),
    );
    if (thinking.length > 0) {
      start({ type: "thinking", thinking: "", signature: "" });
      for (const piece of thinking) delta({ type: "thinking_delta", thinking: piece });
      delta({ type: "signature_delta", signature: "EqQBCkYIBxgCKkDs".repeat(20) });
      stop();
    }
    if (text.length > 0) {
      start({ type: "text", text: "" });
      for (const piece of text) delta({ type: "text_delta", text: piece });
      stop();
    }
    for (const { id, name, argumentPieces } of calls) {
      start({ type: "tool_use", id, name, input: {} });
      for (const piece of argumentPieces) delta({ type: "input_json_delta", partial_json: piece });
      stop();
    }
    const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
    frames.push(
      namedEvent({
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 22_000 },
      }),
      namedEvent({ type: "message_stop" }),
    );
    return frames;
  },
};
