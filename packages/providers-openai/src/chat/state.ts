import { type JsonValue, RepeatingJson } from "llm-worker";
import { CHUNK_FIELDS, type ReasoningField } from "./wire.js";

/** What decoding one response remembers. */
export interface ChatState {
  /** The model that was asked for: the label of what has to be sent back to it. */
  readonly model: string;
  /** Parses what comes: a value holds until the next one. */
  readonly json: RepeatingJson;
  phase: "new" | "started" | "over";
  responseId: string;
  nextBlock: number;
  /** The block of text or reasoning that is open; calls are open beside it. */
  writing: OpenText | OpenReasoning | undefined;
  /** In the order in which they began. */
  readonly calls: OpenCall[];
  /** The call that each index of the wire means at present. */
  readonly callOfIndex: Map<number, OpenCall>;
  finishReason: string;
  hasRefusal: boolean;
}

export interface OpenText {
  readonly kind: "text" | "refusal";
  readonly block: number;
}

export interface OpenReasoning {
  readonly kind: "reasoning";
  readonly block: number;
  /** Where the text came from, and has to go back to. */
  field: ReasoningField | undefined;
  /** OpenRouter's `reasoning_details`, pieces of one detail joined. */
  readonly details: Record<string, JsonValue>[];
}

/** A tool call. Its block begins when id and name are known, at the latest at the end. */
export interface OpenCall {
  block: number | undefined;
  id: string;
  name: string;
  /** Arguments that came before the block began. */
  pending: string;
  extraContent: JsonValue | undefined;
}

/** The state before the first frame. */
export function createState(model: string): ChatState {
  return {
    model,
    json: new RepeatingJson(CHUNK_FIELDS),
    phase: "new",
    responseId: "",
    nextBlock: 0,
    writing: undefined,
    calls: [],
    callOfIndex: new Map(),
    finishReason: "",
    hasRefusal: false,
  };
}
