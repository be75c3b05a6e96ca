import type {
  BlockAbortEvent,
  BlockDeltaEvent,
  BlockKind,
  BlockStartEvent,
  BlockStopEvent,
  ErrorEvent,
  PingEvent,
  StatusEvent,
  UsageEvent,
} from "../model/event.js";
import type { Kind } from "./handler.js";

/** Every event of one block of kind `K`, its `block_start` first. */
export type BlockInput<K extends BlockKind> =
  | Extract<BlockStartEvent, { kind: K }>
  | BlockDeltaEvent
  | BlockStopEvent
  | BlockAbortEvent;

export const textBlock: Kind<BlockInput<"text">> = { name: "text" };
export const thinkingBlock: Kind<BlockInput<"thinking">> = { name: "thinking" };
export const toolUseBlock: Kind<BlockInput<"tool_use">> = { name: "tool_use" };
export const opaqueBlock: Kind<BlockInput<"opaque">> = { name: "opaque" };

export const ping: Kind<PingEvent> = { name: "ping" };
export const usage: Kind<UsageEvent> = { name: "usage" };
export const status: Kind<StatusEvent> = { name: "status" };
export const error: Kind<ErrorEvent> = { name: "error" };
