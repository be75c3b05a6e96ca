import { type Event, generatedCallId, isRecord, stringOf } from "llm-worker";
import type { OllamaState, OpenBlock } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** Decodes a piece of text or thinking. Another kind than the last one begins another block. */
export function pushText(
  kind: OpenBlock["kind"],
  text: unknown,
  state: OllamaState,
  out: Event[],
): void {
  if (typeof text !== "string" || text === "") return;
  if (state.open?.kind !== kind) {
    closeBlock(state, out);
    state.open = { index: state.blockCount++, kind };
    out.push({ type: "block_start", index: state.open.index, kind });
  }
  out.push({ type: "block_delta", index: state.open.index, text });
}

/**
 * Decodes one element of `tool_calls`, which is a whole call (L2). One without an id gets one that is
 * made from when and where it came, so that it is the same whenever these bytes are decoded.
 * `false` if it cannot be read, so that something of the answer is missing.
 *
 * @param createdAt the line's time stamp
 */
export function pushToolCall(
  call: unknown,
  createdAt: string,
  state: OllamaState,
  out: Event[],
): boolean {
  if (!isRecord(call) || !isRecord(call["function"])) return false;
  const { name, arguments: value } = call["function"];
  const text = argumentsText(value);
  if (text === undefined) return false;
  const position = state.toolCallCount++;
  const callId =
    stringOf(call["id"]) || generatedCallId(createdAt, String(position), stringOf(name), text);
  closeBlock(state, out);
  const index = state.blockCount++;
  out.push({ type: "block_start", index, kind: "tool_use", callId, name: stringOf(name) });
  if (text !== "") out.push({ type: "block_delta", index, text });
  out.push({ type: "block_stop", index });
  return true;
}

/** Ends the block that text was being added to, if there is one. */
export function closeBlock(state: OllamaState, out: Event[]): void {
  const { open } = state;
  if (open === undefined) return;
  state.open = undefined;
  if (open.kind === "text") {
    out.push({ type: "block_stop", index: open.index });
    return;
  }
  // Thinking goes back with the calls that it led to (L7), but only to the model whose it is.
  const providerData = { scheme: SCHEME_NAME, model: state.model, data: { type: "thinking" } };
  out.push({ type: "block_stop", index: open.index, providerData });
}

/**
 * An object on this wire; compatible servers also send its JSON text. `undefined` where it is nested
 * too deep to be written.
 */
function argumentsText(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
