import type { BlockStopEvent, JsonValue } from "llm-worker";

/** The end of a block, labelled with what has to go back with it, if anything. */
export function blockStop(
  index: number,
  data: JsonValue | undefined,
  label: { readonly scheme: string; readonly model: string },
): BlockStopEvent {
  if (data === undefined) return { type: "block_stop", index };
  const { scheme, model } = label;
  return { type: "block_stop", index, providerData: { scheme, model, data } };
}
