import { type JsonValue, RepeatingJson, type WireRecord } from "llm-worker";
import { DELTA_FIELDS } from "./wire.js";

/** What decoding one response remembers. */
export interface AnthropicState {
  /** The model that was asked for: the label of what has to be sent back to it. */
  readonly model: string;
  /** Parses what comes: a value holds until the next one. */
  readonly json: RepeatingJson;
  readonly open: Map<number, OpenBlock>;
  phase: "new" | "started" | "content" | "over";
  /** Totals as sent, each field in its latest value. */
  usage: WireRecord;
  hasToolCalls: boolean;
  /** The fields of `message_delta.delta`, each in its latest value. */
  stop: WireRecord;
}

/** A block that has begun. Text is passed on, not kept; only what has to be replayed is. */
export type OpenBlock =
  | { readonly kind: "text"; readonly citations: JsonValue[] }
  | { readonly kind: "thinking"; signature: string }
  | { readonly kind: "redacted_thinking"; readonly data: string }
  | {
      readonly kind: "tool_use";
      readonly caller: JsonValue | undefined;
      /** The input as it stood in the start, used if no delta brings any. */
      readonly startInput: unknown;
      hasInput: boolean;
    }
  | {
      readonly kind: "opaque";
      readonly block: Record<string, JsonValue>;
      readonly inputPieces: string[];
    };

/** The state before the first frame. */
export function createState(model: string): AnthropicState {
  return {
    model,
    json: new RepeatingJson(DELTA_FIELDS),
    open: new Map(),
    phase: "new",
    usage: {},
    hasToolCalls: false,
    stop: {},
  };
}
