import { RepeatingJson } from "llm-worker";
import { LINE_FIELDS } from "./wire.js";

/** What decoding one response remembers. */
export interface OllamaState {
  /** The model that was asked for: the label of what has to be sent back to it. */
  readonly model: string;
  /** Parses what comes: a value holds until the next one. */
  readonly json: RepeatingJson;
  phase: "new" | "started" | "over";
  /** The block that text is being added to. Tool calls come whole and are never open. */
  open: OpenBlock | undefined;
  blockCount: number;
  toolCallCount: number;
}

/** A block of the answer that is still growing. */
export interface OpenBlock {
  readonly index: number;
  readonly kind: "text" | "thinking";
}

/** The state before the first line. */
export function createState(model: string): OllamaState {
  return {
    model,
    json: new RepeatingJson(LINE_FIELDS),
    phase: "new",
    open: undefined,
    blockCount: 0,
    toolCallCount: 0,
  };
}
