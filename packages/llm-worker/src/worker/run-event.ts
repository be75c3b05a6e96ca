import type { Event } from "../model/event.js";
import type { Item } from "../model/item.js";
import type { OutputEvent } from "../output/policy.js";
import type { PrefixChange } from "./prefix-watch.js";
import type { LimitName, PendingCall, RunStatus } from "./run-result.js";

/** Everything that a run reports, in order: what the model streams, and what the worker does. */
export type RunEvent = Event | OutputEvent | WorkerEvent;

/** What a worker does itself, beside what its model streams. */
export type WorkerEvent =
  | { readonly type: "run_start"; readonly provider: string; readonly model: string }
  | { readonly type: "turn_start"; readonly turn: number }
  /** A request is about to be sent. `bodyBytes` is its size on the wire, headers excluded. */
  | {
      readonly type: "request";
      readonly turn: number;
      readonly bodyBytes: number;
      readonly itemCount: number;
    }
  | { readonly type: "item_added"; readonly item: Item }
  | {
      readonly type: "tool_start";
      readonly callId: string;
      readonly name: string;
      /** The raw JSON text of the call. */
      readonly arguments: string;
    }
  | {
      readonly type: "tool_end";
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | { readonly type: "turn_end"; readonly turn: number }
  | { readonly type: "response_rejected"; readonly turn: number; readonly reason: string }
  /**
   * Bytes that were sent before have changed: the provider's cache misses from there on, and what
   * follows is billed in full once more, about `estimatedTokens`.
   */
  | (PrefixChange & { readonly type: "prefix_changed"; readonly estimatedTokens: number })
  | { readonly type: "paused"; readonly reason: string; readonly pending: readonly PendingCall[] }
  /** A callback or handler threw. The run goes on. */
  | { readonly type: "subscriber_failed"; readonly error: unknown }
  | {
      readonly type: "run_end";
      readonly status: RunStatus | "failed";
      readonly limit?: LimitName | undefined;
    };
