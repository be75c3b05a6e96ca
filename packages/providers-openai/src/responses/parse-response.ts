import {
  isRecord,
  numberOf,
  type StopInfo,
  type StopReason,
  stringOf,
  type Usage,
  type WireRecord,
} from "llm-worker";
import type { ResponsesState } from "./state.js";
import { KNOWN_INCOMPLETE_REASONS } from "./wire.js";

/** Usage in neutral terms. */
export function toUsage(raw: WireRecord): Usage {
  const input = recordOf(raw["input_tokens_details"]);
  const output = recordOf(raw["output_tokens_details"]);
  return {
    inputTokens: numberOf(raw["input_tokens"]),
    cacheReadTokens: numberOf(input["cached_tokens"]),
    cacheWriteTokens: numberOf(input["cache_write_tokens"]),
    outputTokens: numberOf(raw["output_tokens"]),
    reasoningTokens: numberOf(output["reasoning_tokens"]),
    raw,
  };
}

/** How a response ended (R7). Calls have no status of their own: they are looked for. */
export function stopInfo(response: WireRecord, status: string, state: ResponsesState): StopInfo {
  const raw = status === "" ? {} : { raw: status };
  if (status !== "incomplete") return { reason: completeReason(status, state), ...raw };
  const detail = stringOf(recordOf(response["incomplete_details"])["reason"]);
  return { reason: incompleteReason(detail), ...raw, ...(detail === "" ? {} : { detail }) };
}

function completeReason(status: string, { hasToolCalls, hasRefusal }: ResponsesState): StopReason {
  if (hasRefusal) return "refusal";
  if (hasToolCalls) return "tool_use";
  if (status === "") return "none";
  return status === "completed" ? "end" : "other";
}

function incompleteReason(detail: string): StopReason {
  return Object.hasOwn(KNOWN_INCOMPLETE_REASONS, detail)
    ? (KNOWN_INCOMPLETE_REASONS[detail] ?? "other")
    : "other";
}

function recordOf(value: unknown): WireRecord {
  return isRecord(value) ? value : {};
}
