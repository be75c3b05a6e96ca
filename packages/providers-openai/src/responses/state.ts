import { RepeatingJson } from "llm-worker";
import type { ReceivedText } from "./received-text.js";
import { DELTA_FIELDS } from "./wire.js";

/** What decoding one response remembers. */
export interface ResponsesState {
  /** The model that was asked for: the label of what has to be sent back to it. */
  readonly model: string;
  /** Parses what comes: a value holds until the next one. */
  readonly json: RepeatingJson;
  phase: "new" | "started" | "content" | "over";
  responseId: string;
  nextBlock: number;
  /** In the order in which they began. */
  open: OpenItem[];
  /** How many items have begun. */
  itemCount: number;
  /** Their places and ids. */
  readonly known: Set<number | string>;
  hasToolCalls: boolean;
  hasRefusal: boolean;
}

interface OpenItemIdentity {
  readonly outputIndex: number | undefined;
  readonly id: string;
}

/** An output item that has begun. */
export type OpenItem = OpenMessage | OpenReasoning | OpenCall | OpenOpaque;

export interface OpenMessage extends OpenItemIdentity {
  readonly type: "message";
  readonly parts: OpenPart[];
}

/** A part of a message: a block of its own. */
export interface OpenPart {
  readonly contentIndex: number;
  readonly kind: "text" | "refusal";
  readonly block: number;
  readonly text: ReceivedText;
}

export interface OpenReasoning extends OpenItemIdentity {
  readonly type: "reasoning";
  readonly block: number;
  /** Servers with both send the same thoughts twice: the first counts. */
  source: "summary" | "content" | undefined;
  part: number;
}

export interface OpenCall extends OpenItemIdentity {
  readonly type: "function_call" | "custom_tool_call";
  /** Its block begins when `call_id` and name are known. */
  block: number | undefined;
  /** Arguments, or the input of a custom tool, as far as they came. */
  text: ReceivedText;
}

/** An item that only the server understands. */
export interface OpenOpaque extends OpenItemIdentity {
  readonly type: "opaque";
  readonly block: number;
}

/** The state before the first frame. */
export function createState(model: string): ResponsesState {
  return {
    model,
    json: new RepeatingJson(DELTA_FIELDS),
    phase: "new",
    responseId: "",
    nextBlock: 0,
    open: [],
    itemCount: 0,
    known: new Set(),
    hasToolCalls: false,
    hasRefusal: false,
  };
}
