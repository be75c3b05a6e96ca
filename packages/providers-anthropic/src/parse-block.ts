import {
  argumentsText,
  type Event,
  isRecord,
  type JsonValue,
  type ProviderData,
  RAW_ARGUMENTS_FIELD,
  stringOf,
  type WireRecord,
} from "llm-worker";
import type { AnthropicState, OpenBlock } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** Decodes `content_block_start`. */
export function startBlock(
  index: number,
  block: WireRecord,
  state: AnthropicState,
  out: Event[],
): void {
  switch (block["type"]) {
    case "text":
      state.open.set(index, { kind: "text", citations: [...listOf(block["citations"])] });
      out.push({ type: "block_start", index, kind: "text" });
      pushText(index, block["text"], out);
      return;
    case "thinking":
      state.open.set(index, { kind: "thinking", signature: stringOf(block["signature"]) });
      out.push({ type: "block_start", index, kind: "thinking" });
      pushText(index, block["thinking"], out);
      return;
    case "redacted_thinking":
      state.open.set(index, { kind: "redacted_thinking", data: stringOf(block["data"]) });
      out.push({ type: "block_start", index, kind: "thinking" });
      return;
    case "tool_use":
      startToolUse(index, block, state, out);
      return;
    default:
      // Server tools and kinds that are newer than this code: kept whole, for replay.
      state.open.set(index, { kind: "opaque", block: { ...jsonRecord(block) }, inputPieces: [] });
      out.push({ type: "block_start", index, kind: "opaque", name: stringOf(block["type"]) });
  }
}

function startToolUse(index: number, block: WireRecord, state: AnthropicState, out: Event[]): void {
  state.hasToolCalls = true;
  const caller = block["caller"];
  state.open.set(index, {
    kind: "tool_use",
    caller: isRecord(caller) && caller["type"] !== "direct" ? jsonRecord(caller) : undefined,
    startInput: block["input"],
    hasInput: false,
  });
  out.push({
    type: "block_start",
    index,
    kind: "tool_use",
    callId: stringOf(block["id"]),
    name: stringOf(block["name"]),
  });
}

/** Decodes the delta of an open block. Delta types that are newer than this code say nothing. */
export function readDelta(index: number, block: OpenBlock, delta: WireRecord, out: Event[]): void {
  if (block.kind === "opaque") {
    readOpaqueDelta(block, delta);
    return;
  }
  switch (delta["type"]) {
    case "text_delta":
      pushText(index, delta["text"], out);
      return;
    case "thinking_delta":
      pushText(index, delta["thinking"], out);
      return;
    case "input_json_delta":
      if (block.kind === "tool_use" && pushText(index, delta["partial_json"], out)) {
        block.hasInput = true;
      }
      return;
    case "signature_delta":
      if (block.kind === "thinking") block.signature = stringOf(delta["signature"]);
      return;
    case "citations_delta":
      if (block.kind === "text") block.citations.push(...listOf([delta["citation"]]));
  }
}

/** A string field grows by its delta, as `compaction.content` does; any other is set. */
function readOpaqueDelta(block: OpenBlock & { kind: "opaque" }, delta: WireRecord): void {
  if (delta["type"] === "input_json_delta") {
    block.inputPieces.push(stringOf(delta["partial_json"]));
    return;
  }
  for (const [field, value] of Object.entries(jsonRecord(delta))) {
    if (field === "type") continue;
    const before = block.block[field];
    const grows = typeof before === "string" && typeof value === "string";
    block.block[field] = grows ? before + value : value;
  }
}

/** Decodes `content_block_stop`. */
export function stopBlock(index: number, state: AnthropicState, out: Event[]): void {
  const block = state.open.get(index);
  if (block === undefined) return;
  state.open.delete(index);
  if (block.kind === "tool_use" && !block.hasInput) {
    pushText(index, argumentsText(block.startInput), out);
  }
  const data = replayData(block);
  if (data === undefined) {
    out.push({ type: "block_stop", index });
    return;
  }
  const providerData: ProviderData = { scheme: SCHEME_NAME, model: state.model, data };
  out.push({ type: "block_stop", index, providerData });
}

/** What has to go back with the block, if anything. */
function replayData(block: OpenBlock): JsonValue | undefined {
  switch (block.kind) {
    case "text":
      return block.citations.length > 0 ? { type: "text", citations: block.citations } : undefined;
    case "thinking":
      // Compatible servers sign nothing; without a signature it cannot be sent back (A6).
      return block.signature === "" ? undefined : { type: "thinking", signature: block.signature };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data };
    case "tool_use":
      return block.caller === undefined ? undefined : { type: "tool_use", caller: block.caller };
    case "opaque":
      return withInput(block.block, block.inputPieces.join(""));
  }
}

function withInput(block: Record<string, JsonValue>, json: string): JsonValue {
  if (json === "") return block;
  try {
    return { ...block, input: JSON.parse(json) as JsonValue };
  } catch {
    return { ...block, input: { [RAW_ARGUMENTS_FIELD]: json } };
  }
}

function pushText(index: number, text: unknown, out: Event[]): boolean {
  if (typeof text !== "string" || text === "") return false;
  out.push({ type: "block_delta", index, text });
  return true;
}

// What comes here was made by JSON.parse, so it is JSON all through.
function jsonRecord(value: WireRecord): Readonly<Record<string, JsonValue>> {
  return value as Readonly<Record<string, JsonValue>>;
}

function listOf(value: unknown): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
