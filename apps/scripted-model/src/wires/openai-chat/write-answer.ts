import { cutText } from "../../pieces.js";
import type { AutomaticUsage } from "../../prompt-cache.js";
import type { Random } from "../../random.js";
import { type Answer, countTokens } from "../answer.js";
import { ANSWER_TIME_SECONDS } from "../ids.js";
import { makeCallId, makePadding } from "../openai/ids.js";
import { writtenTokens } from "../openai/caching.js";
import type { StreamOptions } from "./request-types.js";

/** An answer with all that goes on the wire. */
export interface Completion extends Answer {
  readonly id: string;
  readonly model: string;
  /** A request that names the function to call is answered with the reason `stop`. */
  readonly isCallForced: boolean;
  readonly usage: AutomaticUsage;
}

type Fields = Readonly<Record<string, unknown>>;

/** The answer as the chunks of a stream. Thinking shows in the counts only. */
export function streamChunks(
  completion: Completion,
  { include_usage: includeUsage, include_obfuscation: isPadded = true }: StreamOptions,
  random: Random,
): Fields[] {
  const chunk = (choices: readonly Fields[], usage: unknown): Fields => ({
    ...header(completion, "chat.completion.chunk"),
    choices,
    ...(includeUsage === true ? { usage } : {}),
    ...(isPadded ? { obfuscation: makePadding(random) } : {}),
  });
  const choice = (delta: Fields, finishReason: string | null): Fields => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: finishReason,
  });
  const deltas = answerDeltas(completion, random).map((delta) =>
    chunk([choice(delta, null)], null),
  );
  const last = chunk([choice({}, finishReasonOf(completion))], null);
  const usage = includeUsage === true ? [chunk([], countUsage(completion))] : [];
  return [...deltas, last, ...usage];
}

/** The answer as one JSON document. */
export function wholeCompletion(completion: Completion, random: Random): Fields {
  const calls = callsOf(completion).map(({ name, json }) => ({
    id: makeCallId(random),
    type: "function",
    function: { name, arguments: json },
  }));
  const message = {
    role: "assistant",
    content: textOf(completion),
    refusal: null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finish = finishReasonOf(completion);
  return {
    ...header(completion, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: countUsage(completion),
  };
}

/** Server-sent events as the provider frames them: `data:`, an empty line, `[DONE]` at the end; LF. */
export function encodeChunks(chunks: readonly Fields[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
}

function header({ id, model }: Completion, object: string): Fields {
  return {
    id,
    object,
    created: ANSWER_TIME_SECONDS,
    model,
    service_tier: "default",
    system_fingerprint: "fp_scripted",
  };
}

function answerDeltas(completion: Completion, random: Random): Fields[] {
  const text = textOf(completion);
  return [
    { role: "assistant", content: text === null ? null : "", refusal: null },
    ...cutText(text ?? "", random).map((content) => ({ content })),
    ...callsOf(completion).flatMap(({ name, json }, index) => [
      callDelta({
        index,
        id: makeCallId(random),
        type: "function",
        function: { name, arguments: "" },
      }),
      ...cutText(json, random).map((piece) => callDelta({ index, function: { arguments: piece } })),
    ]),
  ];
}

function callDelta(call: Fields): Fields {
  return { tool_calls: [call] };
}

function textOf({ parts }: Answer): string | null {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length > 0 ? texts.join("") : null;
}

function callsOf({ parts }: Answer): { name: string; json: string }[] {
  return parts.filter((part) => part.type === "call");
}

function finishReasonOf({ end, isCallForced }: Completion): string {
  switch (end) {
    case "done":
    case "stop_sequence":
      return "stop";
    case "calls":
      return isCallForced ? "stop" : "tool_calls";
    case "max_tokens":
      return "length";
  }
}

function countUsage(completion: Completion): Fields {
  const { totalTokens, cachedTokens } = completion.usage;
  const output = countTokens(completion);
  return {
    prompt_tokens: totalTokens,
    completion_tokens: output.total,
    total_tokens: totalTokens + output.total,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      cache_write_tokens: writtenTokens(completion.usage),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: output.thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
