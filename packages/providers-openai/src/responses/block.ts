import type { Event, JsonValue, WireRecord } from "llm-worker";
import { blockStop } from "../block-stop.js";
import type { ResponsesState } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** Ends a block, with what has to go back with it. */
export function stopBlock(
  index: number,
  data: JsonValue | undefined,
  state: ResponsesState,
  out: Event[],
): void {
  out.push(blockStop(index, data, { scheme: SCHEME_NAME, model: state.model }));
}

/** What JSON.parse made is JSON all through. */
export function jsonRecord(value: WireRecord): Readonly<Record<string, JsonValue>> {
  return value as Readonly<Record<string, JsonValue>>;
}

/** What JSON.parse made is JSON all through. */
export function jsonList(value: readonly unknown[]): readonly JsonValue[] {
  return value as readonly JsonValue[];
}
