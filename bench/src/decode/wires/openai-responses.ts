import type { Message } from "../message.js";
import { namedEvent, type Wire } from "./wire.js";

type Payload = Parameters<typeof namedEvent>[0];

/** OpenAI Responses. As on the wire, what was streamed is repeated whole at the end of each item. */
export const openaiResponses: Wire = {
  name: "openai-responses",
  contentType: "text/event-stream; charset=utf-8",
  streamsArguments: true,
  frames(message) {
    const frames: string[] = [];
    const push = ({ type, ...fields }: Payload): void =>
      void frames.push(namedEvent({ type, sequence_number: frames.length, ...fields }));
    push({ type: "response.created", response: response("in_progress", []) });
    push({ type: "response.in_progress", response: response("in_progress", []) });
    const output: object[] = [];
    if (message.thinking.length > 0) output.push(reasoning(message, output.length, push));
    if (message.text.length > 0) output.push(text(message, output.length, push));
    for (const call of message.calls) output.push(functionCall(call, output.length, push));
    push({ type: "response.completed", response: response("completed", output) });
    return frames;
  },
};

function reasoning({ thinking }: Message, output_index: number, push: Push): object {
  const item = { id: "rs_0a1b2c3d4e5f60718293a4b5c6d7e8f9", type: "reasoning", summary: [] };
  const place = { item_id: item.id, output_index, summary_index: 0 };
  const whole = { type: "summary_text", text: thinking.join("") };
  push({ type: "response.output_item.added", output_index, item });
  const empty = { type: "summary_text", text: "" };
  push({ type: "response.reasoning_summary_part.added", ...place, part: empty });
  for (const delta of thinking) {
    push({
      type: "response.reasoning_summary_text.delta",
      ...place,
      delta,
      obfuscation: "k3Tq0WvZb1",
    });
  }
  push({ type: "response.reasoning_summary_text.done", ...place, text: whole.text });
  push({ type: "response.reasoning_summary_part.done", ...place, part: whole });
  const done = { ...item, summary: [whole] };
  push({ type: "response.output_item.done", output_index, item: done });
  return done;
}

function text({ text: pieces }: Message, output_index: number, push: Push): object {
  const item = {
    id: "msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    type: "message",
    status: "in_progress",
    content: [],
    role: "assistant",
  };
  const place = { item_id: item.id, output_index, content_index: 0 };
  const part = (whole: string): object => ({
    type: "output_text",
    annotations: [],
    logprobs: [],
    text: whole,
  });
  const whole = pieces.join("");
  push({ type: "response.output_item.added", output_index, item });
  push({ type: "response.content_part.added", ...place, part: part("") });
  for (const delta of pieces) {
    push({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
      obfuscation: "nvFnySEFuPMQzc",
    });
  }
  push({ type: "response.output_text.done", ...place, text: whole, logprobs: [] });
  push({ type: "response.content_part.done", ...place, part: part(whole) });
  const done = { ...item, status: "completed", content: [part(whole)] };
  push({ type: "response.output_item.done", output_index, item: done });
  return done;
}

function functionCall(
  { id, name, argumentPieces }: Message["calls"][number],
  output_index: number,
  push: Push,
): object {
  const item_id = `fc_${String(output_index).padStart(32, "0")}`;
  const item = (status: string, whole: string): object => ({
    id: item_id,
    type: "function_call",
    status,
    arguments: whole,
    call_id: id,
    name,
  });
  const whole = argumentPieces.join("");
  push({ type: "response.output_item.added", output_index, item: item("in_progress", "") });
  for (const delta of argumentPieces) {
    push({
      type: "response.function_call_arguments.delta",
      item_id,
      output_index,
      delta,
      obfuscation: "b9XcQ2",
    });
  }
  const done = item("completed", whole);
  push({
    type: "response.function_call_arguments.done",
    item_id,
    output_index,
    arguments: whole,
    name,
  });
  push({ type: "response.output_item.done", output_index, item: done });
  return done;
}

type Push = (payload: Payload) => void;

function response(status: string, output: readonly object[]): object {
  const isOver = status === "completed";
  return {
    id: "resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    object: "response",
    created_at: 1_790_000_000,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: "gpt-5.6-2026-08-01",
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: isOver
      ? {
          input_tokens: 2095,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 22_000,
          output_tokens_details: { reasoning_tokens: 2000 },
          total_tokens: 24_095,
        }
      : null,
    metadata: {},
  };
}
