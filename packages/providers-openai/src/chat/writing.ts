import type { Event, JsonValue, WireRecord } from "llm-worker";
import { blockStop } from "../block-stop.js";
import type { ChatState, OpenReasoning } from "./state.js";
import { type ReasoningField, SCHEME_NAME } from "./wire.js";

/** More text of the answer, or of its refusal. */
export function writeText(
  kind: "text" | "refusal",
  text: string,
  state: ChatState,
  out: Event[],
): void {
  if (text === "") return;
  let block = state.writing;
  if (block?.kind !== kind) {
    stopWriting(state, out);
    block = { kind, block: state.nextBlock };
    state.nextBlock += 1;
    state.writing = block;
    const isRefusal = kind === "refusal";
    out.push({
      type: "block_start",
      index: block.block,
      kind: "text",
      ...(isRefusal ? { isRefusal } : {}),
    });
    state.hasRefusal ||= isRefusal;
  }
  out.push({ type: "block_delta", index: block.block, text });
}

/** More reasoning, and the field that it came in. */
export function writeReasoning(
  field: ReasoningField,
  text: string,
  state: ChatState,
  out: Event[],
): void {
  if (text === "") return;
  const block = reasoningBlock(state, out);
  block.field ??= field;
  out.push({ type: "block_delta", index: block.block, text });
}

function reasoningBlock(state: ChatState, out: Event[]): OpenReasoning {
  if (state.writing?.kind === "reasoning") return state.writing;
  stopWriting(state, out);
  const block: OpenReasoning = {
    kind: "reasoning",
    block: state.nextBlock,
    field: undefined,
    details: [],
  };
  state.nextBlock += 1;
  state.writing = block;
  out.push({ type: "block_start", index: block.block, kind: "thinking" });
  return block;
}

/** Ends the open block of text or reasoning. */
export function stopWriting(state: ChatState, out: Event[]): void {
  const block = state.writing;
  if (block === undefined) return;
  state.writing = undefined;
  const data = block.kind === "reasoning" ? replayData(block) : undefined;
  out.push(blockStop(block.block, data, { scheme: SCHEME_NAME, model: state.model }));
}

function replayData({ field, details }: OpenReasoning): JsonValue | undefined {
  if (details.length > 0) return { type: "reasoning", field: "reasoning_details", details };
  return field === undefined ? undefined : { type: "reasoning", field };
}

/** Details come in pieces too: a piece continues the last one of its type and index. */
export function keepDetails(pieces: readonly WireRecord[], state: ChatState, out: Event[]): void {
  const { details } = reasoningBlock(state, out);
  for (const piece of pieces) {
    // What comes here was made by JSON.parse, so it is JSON all through.
    const fields = Object.entries(piece) as [string, JsonValue][];
    const last = details.at(-1);
    const continues =
      last !== undefined && last["type"] === piece["type"] && last["index"] === piece["index"];
    if (!continues) {
      details.push(Object.fromEntries(fields));
      continue;
    }
    for (const [name, value] of fields) {
      const before = last[name];
      const grows = GROWING_FIELDS.has(name) && typeof before === "string";
      if (grows && typeof value === "string") last[name] = before + value;
      else if (value !== null) last[name] = value;
    }
  }
}

const GROWING_FIELDS: ReadonlySet<string> = new Set(["text", "summary", "data"]);
