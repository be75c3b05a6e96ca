import { isRecord, numberOf, type Usage, type WireRecord } from "llm-worker";

/** The usage of a chunk, wherever the server put it (C15). */
export function usageIn(chunk: WireRecord): WireRecord | undefined {
  if (isRecord(chunk["usage"])) return chunk["usage"];
  const groq = chunk["x_groq"];
  return isRecord(groq) && isRecord(groq["usage"]) ? groq["usage"] : undefined;
}

/** Usage in neutral terms. */
export function toUsage(raw: WireRecord): Usage {
  const input = recordOf(raw["prompt_tokens_details"]);
  const output = recordOf(raw["completion_tokens_details"]);
  return {
    inputTokens: numberOf(raw["prompt_tokens"]),
    cacheReadTokens: numberOf(input["cached_tokens"]) ?? numberOf(raw["prompt_cache_hit_tokens"]),
    cacheWriteTokens: numberOf(input["cache_write_tokens"]),
    outputTokens: outputTokens(raw, numberOf(output["reasoning_tokens"])),
    reasoningTokens: numberOf(output["reasoning_tokens"]),
    raw,
  };
}

/** Some servers leave reasoning out of the completion; their total gives them away (C15). */
function outputTokens(raw: WireRecord, reasoning: number | undefined): number | undefined {
  const completion = numberOf(raw["completion_tokens"]);
  const prompt = numberOf(raw["prompt_tokens"]);
  if (completion === undefined || prompt === undefined || reasoning === undefined) {
    return completion;
  }
  const isLeftOut = reasoning > 0 && raw["total_tokens"] === prompt + completion + reasoning;
  return isLeftOut ? completion + reasoning : completion;
}

function recordOf(value: unknown): WireRecord {
  return isRecord(value) ? value : {};
}
