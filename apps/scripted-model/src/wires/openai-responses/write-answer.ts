import type { AutomaticUsage } from "../../prompt-cache.js";
import { type Answer, countTokens } from "../answer.js";
import { ANSWER_TIME_SECONDS } from "../ids.js";
import { writtenTokens } from "../openai/caching.js";
import type { Fields, OutputItem } from "./output-items.js";
import type { ResponsesRequest, ToolParam } from "./request-types.js";

/** An answer with all that goes on the wire. */
export interface ScriptedResponse {
  readonly id: string;
  readonly request: ResponsesRequest;
  readonly answer: Answer;
  readonly items: readonly OutputItem[];
  readonly usage: AutomaticUsage;
}

/** One event of the stream. */
export type StreamEvent = { readonly type: string; readonly sequence_number: number } & Fields;

/** The answer as the events of a stream. */
export function streamEvents(response: ScriptedResponse): StreamEvent[] {
  const isCut = response.answer.end === "max_tokens";
  const started = startedResponse(response);
  const events = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...response.items.flatMap(itemEvents),
    {
      type: isCut ? "response.incomplete" : "response.completed",
      response: wholeResponse(response),
    },
  ];
  return events.map(({ type, ...fields }, index) => ({ type, sequence_number: index, ...fields }));
}

/** The answer as one JSON document. */
export function wholeResponse(response: ScriptedResponse): Fields {
  const isCut = response.answer.end === "max_tokens";
  return {
    ...startedResponse(response),
    status: isCut ? "incomplete" : "completed",
    completed_at: isCut ? null : ANSWER_TIME_SECONDS,
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output: response.items.map((item) => item.whole()),
    usage: countUsage(response),
  };
}

/** Server-sent events as the provider frames them: `event:`, `data:`, an empty line; LF. */
export function encodeEvents(events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function itemEvents(
  { opened, events, whole }: OutputItem,
  index: number,
): ({ type: string } & Fields)[] {
  const place = { output_index: index };
  return [
    { type: "response.output_item.added", ...place, item: opened },
    ...events.map((event) => ({ ...event, ...place, item_id: opened["id"] })),
    { type: "response.output_item.done", ...place, item: whole() },
  ];
}

function startedResponse({ id, request }: ScriptedResponse): Fields {
  return {
    id,
    object: "response",
    created_at: ANSWER_TIME_SECONDS,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? null,
    },
    safety_identifier: null,
    service_tier: "default",
    temperature: request.temperature ?? 1,
    text: { format: { type: "text" }, verbosity: "medium", ...request.text },
    tool_choice: request.tool_choice ?? "auto",
    tools: (request.tools ?? []).map(repeatTool),
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    metadata: request.metadata ?? {},
  };
}

/** A tool as the provider repeats it, with the defaults that it takes. */
function repeatTool(tool: ToolParam): Fields {
  if (tool.type !== "function") return tool;
  return { description: null, parameters: null, ...tool, strict: tool.strict ?? true };
}

function countUsage({ answer, usage }: ScriptedResponse): Fields {
  const output = countTokens(answer);
  return {
    input_tokens: usage.totalTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: writtenTokens(usage),
    },
    output_tokens: output.total,
    output_tokens_details: { reasoning_tokens: output.thinking },
    total_tokens: usage.totalTokens + output.total,
  };
}
