import type { ProviderData } from "./item.js";
import type { LlmErrorCode } from "./llm-error-code.js";

/** The one streaming type that all layers share. Every started block is stopped or aborted once. */
export type Event = MetaEvent | BlockEvent;

/** An event that belongs to no block. */
export type MetaEvent = PingEvent | UsageEvent | StatusEvent | ErrorEvent;

/** A sign of life of the server, which says nothing. */
export interface PingEvent {
  readonly type: "ping";
}

/** Totals of this response so far: a later one replaces an earlier one, field by field. */
export interface UsageEvent {
  readonly type: "usage";
  readonly usage: Usage;
}

/** How far the response has come. */
export type StatusEvent =
  | {
      readonly type: "status";
      readonly status: "response_started";
      readonly responseId?: string | undefined;
      readonly model?: string | undefined;
    }
  | {
      /** The server began its answer anew: everything before this does not count. */
      readonly type: "status";
      readonly status: "response_restarted";
    }
  | {
      readonly type: "status";
      readonly status: "response_finished";
      readonly stop: StopInfo;
    }
  | {
      /** A failure before the first event; the request is sent again after `delayMs`. */
      readonly type: "status";
      readonly status: "retrying";
      /** 1 for the first retry. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: LlmErrorInfo;
    };

/** The response failed. Nothing follows it but the aborts of open blocks, which come before it. */
export interface ErrorEvent {
  readonly type: "error";
  readonly error: LlmErrorInfo;
}

/** What a block holds. */
export type BlockKind = "text" | "thinking" | "tool_use" | "opaque";

/** An event of one block, which its `index` names. */
export type BlockEvent = BlockStartEvent | BlockDeltaEvent | BlockStopEvent | BlockAbortEvent;

/** A block begins. */
export type BlockStartEvent =
  | {
      readonly type: "block_start";
      readonly index: number;
      readonly kind: "text";
      readonly isRefusal?: boolean | undefined;
    }
  | { readonly type: "block_start"; readonly index: number; readonly kind: "thinking" }
  | {
      readonly type: "block_start";
      readonly index: number;
      readonly kind: "tool_use";
      readonly callId: string;
      readonly name: string;
    }
  /** Something only the provider understands; its whole comes with `block_stop`. */
  | {
      readonly type: "block_start";
      readonly index: number;
      readonly kind: "opaque";
      readonly name: string;
    };

/** More text of a block; for `tool_use` a piece of the raw JSON of the arguments. */
export interface BlockDeltaEvent {
  readonly type: "block_delta";
  readonly index: number;
  readonly text: string;
}

/** The block is complete. `providerData` is what has to be sent back with it unchanged. */
export interface BlockStopEvent {
  readonly type: "block_stop";
  readonly index: number;
  readonly providerData?: ProviderData | undefined;
}

/** The block will not be completed: what came of it must not be used as if it were whole. */
export interface BlockAbortEvent {
  readonly type: "block_abort";
  readonly index: number;
  readonly reason: string;
}

/** Tokens of one response, or summed over a run. A field that is absent was not reported. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly inputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  /** All output tokens, reasoning included. */
  readonly outputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** As the provider sent it. */
  readonly raw?: unknown;
}

/**
 * Why a model stopped, in one taxonomy for all providers.
 *
 * - `end`, `stop_sequence`: it was done. `tool_use`: it waits for results.
 * - `max_tokens`, `context_window`: there was no room for more.
 * - `refusal`, `content_filter`: the model or its provider declined.
 * - `pause`: the server goes on with a long turn of its own once it gets the turn back.
 * - `load`: the server has done no more than load or unload the model.
 * - `error`: the model wrote what the server could not use.
 * - `other`: a reason that is not known here, see `StopInfo.raw`. `none`: the server gave none.
 */
export type StopReason =
  | "end"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "refusal"
  | "content_filter"
  | "context_window"
  | "pause"
  | "load"
  | "error"
  | "other"
  | "none";

/** Why a model stopped, and the provider's own words for it. */
export interface StopInfo {
  readonly reason: StopReason;
  /** What the server said, if it said anything. */
  readonly raw?: string | undefined;
  /** The stop sequence that was met. */
  readonly sequence?: string | undefined;
  readonly detail?: unknown;
}

/** An error as plain data, as it travels in events and logs. */
export interface LlmErrorInfo {
  readonly code: LlmErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** HTTP status, if there was one. */
  readonly status?: number | undefined;
  /** The provider's own word for it. */
  readonly providerType?: string | undefined;
}
