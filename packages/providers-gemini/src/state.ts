import { type JsonValue, RepeatingJson, type WireRecord } from "llm-worker";
import type { PartialArguments } from "./partial-arguments.js";
import { CHUNK_FIELDS } from "./wire.js";

/** What decoding one response remembers. */
export interface GeminiState {
  /** The model that was asked for: the label of what has to be sent back to it. */
  readonly model: string;
  /** Parses what comes: a value holds until the next one. */
  readonly json: RepeatingJson;
  phase: "new" | "started" | "over";
  responseId: string;
  /** The block that unsigned text is being added to. */
  openText: OpenText | undefined;
  /** The call whose arguments arrive in pieces. */
  openCall: OpenCall | undefined;
  blockCount: number;
  hasToolCalls: boolean;
  /** Totals as sent, each field in its latest value. */
  usage: WireRecord;
  /** The latest finish reason: some servers send one with every chunk. */
  finishReason: string | undefined;
  finishMessage: string | undefined;
  /** Why the prompt was refused, as sent. */
  promptFeedback: WireRecord | undefined;
}

export interface OpenText {
  readonly index: number;
  readonly kind: "text" | "thinking";
}

export interface OpenCall {
  readonly index: number;
  /** What has to go back with the call. */
  readonly data: JsonValue | undefined;
  readonly arguments: PartialArguments;
}

/** The state before the first chunk. */
export function createState(model: string): GeminiState {
  return {
    model,
    json: new RepeatingJson(CHUNK_FIELDS),
    phase: "new",
    responseId: "",
    openText: undefined,
    openCall: undefined,
    blockCount: 0,
    hasToolCalls: false,
    usage: {},
    finishReason: undefined,
    finishMessage: undefined,
    promptFeedback: undefined,
  };
}
