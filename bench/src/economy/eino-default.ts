import {
  type Hook,
  type Item,
  messageText,
  type ToolOutputPolicy,
  toolResultText,
} from "llm-worker";
import { BYTES_PER_TOKEN } from "./wire-meter.js";

/** `MaxLengthForTrunc`: a longer output keeps half of this from either end. */
const MAX_OUTPUT_BYTES = 50_000;
/** `MaxTokensForClear`: beyond this, all results but those of the last round are cleared. */
const MAX_CONVERSATION_TOKENS = 160_000;

/**
 * The first half of the defaults of Eino's tool reduction middleware (cloudwego/eino,
 * `adk/middlewares/reduction`): a large output is written to a file when it is made.
 */
export const truncateLarge: ToolOutputPolicy = {
  name: "eino_default",
  async apply(value, { callId, isError }) {
    const bytes = Buffer.from(String(value).toWellFormed());
    const flag = isError ? { isError } : {};
    if (bytes.length <= MAX_OUTPUT_BYTES) return { summary: bytes.toString(), ...flag };
    const half = MAX_OUTPUT_BYTES / 2;
    const summary = [
      "<persisted-output>",
      `Output too large (${bytes.length}). Full output saved to: /tmp/trunc/${callId}`,
      `Preview (first ${half}):`,
      bytes.subarray(0, half).toString(),
      "",
      `Preview (last ${half}):`,
      bytes.subarray(-half).toString(),
      "",
      "Use read_file to view",
      "</persisted-output>",
    ].join("\n");
    return { summary, ...flag };
  },
};

/** The second half: a conversation that has grown too long loses its older results. */
export const clearOldResults: Hook<"preLlmRequest"> = ({ items }) => {
  const bytes = items.reduce((total, item) => total + textBytes(item), 0);
  if (bytes / BYTES_PER_TOKEN <= MAX_CONVERSATION_TOKENS) return undefined;
  const lastRound = items.findLastIndex((item) => item.type === "tool_call");
  const cleared = items.map((item, position): Item => {
    if (item.type !== "tool_result" || position > lastRound) return item;
    const summary =
      `<persisted-output>Tool result saved to: /tmp/clear/${item.callId}\n` +
      "Use read_file to view</persisted-output>";
    return item.summary === summary ? item : { ...item, summary };
  });
  return { items: cleared, scope: "history" };
};

function textBytes(item: Item): number {
  switch (item.type) {
    case "message":
      return Buffer.byteLength(messageText(item));
    case "reasoning":
      return Buffer.byteLength(item.text);
    case "tool_call":
      return Buffer.byteLength(item.name) + Buffer.byteLength(item.arguments);
    case "tool_result":
      return Buffer.byteLength(toolResultText(item));
    case "opaque":
      return 0;
  }
}
