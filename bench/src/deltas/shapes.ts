import type { MessageSize } from "../decode/message.js";

/** What an answer of many deltas is made of. */
export interface Shape {
  readonly name: string;
  /** Whether the deltas are arguments, which some wires send whole. */
  readonly isArguments: boolean;
  sizeOf(deltas: number): MessageSize;
}

const NOTHING: MessageSize = { thinkingDeltas: 0, textDeltas: 0, calls: 0, deltasPerCall: 0 };
const MANY_CALLS = 80;

const text: Shape = {
  name: "text",
  isArguments: false,
  sizeOf: (textDeltas) => ({ ...NOTHING, textDeltas }),
};
const thinking: Shape = {
  name: "thinking, then some text",
  isArguments: false,
  sizeOf: (deltas) => ({ ...NOTHING, thinkingDeltas: deltas * 0.9, textDeltas: deltas * 0.1 }),
};
/** 13 characters a delta: 80,000 of them are 1 MB of arguments. */
export const oneCall: Shape = {
  name: "one call",
  isArguments: true,
  sizeOf: (deltasPerCall) => ({ ...NOTHING, calls: 1, deltasPerCall }),
};
const manyCalls: Shape = {
  name: `${MANY_CALLS} calls`,
  isArguments: true,
  sizeOf: (deltas) => ({ ...NOTHING, calls: MANY_CALLS, deltasPerCall: deltas / MANY_CALLS }),
};

export const shapes: readonly Shape[] = [text, thinking, oneCall, manyCalls];
