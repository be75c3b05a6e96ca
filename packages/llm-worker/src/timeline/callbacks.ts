import type { BlockKind } from "../model/event.js";
import { GrowingText } from "../model/growing-text.js";
import type { Handler } from "./handler.js";
import type { BlockInput } from "./kinds.js";

/** What a block callback is told. `text` of `stop` and `abort` is the whole block's. */
export type BlockMoment =
  | { readonly type: "start"; readonly index: number }
  | { readonly type: "delta"; readonly index: number; readonly text: string }
  | { readonly type: "stop"; readonly index: number; readonly text: string }
  | {
      readonly type: "abort";
      readonly index: number;
      readonly text: string;
      readonly reason: string;
    };

/** Makes a handler of a closure that watches whole blocks. */
export function blockCallback<K extends BlockKind>(
  callback: (moment: BlockMoment, start: BlockInput<K>) => void,
): Handler<BlockInput<K>, { readonly start: BlockInput<K>; readonly text: GrowingText }> {
  return {
    open(start) {
      callback({ type: "start", index: start.index }, start);
      return { start, text: new GrowingText() };
    },
    on({ start, text }, input) {
      switch (input.type) {
        case "block_delta":
          text.add(input.text);
          callback({ type: "delta", index: input.index, text: input.text }, start);
          break;
        case "block_stop":
          callback({ type: "stop", index: input.index, text: text.toString() }, start);
          break;
        case "block_abort":
          callback(
            { type: "abort", index: input.index, text: text.toString(), reason: input.reason },
            start,
          );
          break;
        default:
      }
    },
  };
}

/** Makes a handler of a closure that watches one kind of meta event. */
export function eventCallback<In>(callback: (event: In) => void): Handler<In, undefined> {
  return {
    open: () => undefined,
    on: (_scope, event) => callback(event),
  };
}
