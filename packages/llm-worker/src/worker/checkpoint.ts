import type { Usage } from "../model/event.js";
import type { LimitName, RunStatus } from "./run-result.js";
import type { WorkerSnapshot } from "./snapshot.js";

/** A moment at which the worker waits until what it remembers has been saved. */
export type CheckpointMoment =
  /** A request is about to go out. */
  | { readonly at: "request"; readonly turn: number }
  /** The calls of an answer are about to run. */
  | { readonly at: "tool_calls"; readonly turn: number }
  /** A call has its result. Its neighbours may still be running. */
  | { readonly at: "tool_result"; readonly turn: number; readonly callId: string }
  | { readonly at: "turn_end"; readonly turn: number }
  /** The run is about to resolve, or to reject. */
  | {
      readonly at: "run_end";
      readonly status: RunStatus | "failed";
      readonly limit?: LimitName | undefined;
      readonly reason?: string | undefined;
      readonly turns: number;
      readonly usage: Usage;
    }
  /** `worker.checkpoint()` was called. */
  | { readonly at: "explicit" };

/** What there is to save, and at which moment. */
export interface Checkpoint {
  readonly moment: CheckpointMoment;
  /**
   * Everything the worker remembers. Shares its items with the worker, so that an item that is the
   * same object as at the last checkpoint has not changed: read it, do not write to it.
   */
  readonly snapshot: WorkerSnapshot;
}

/** Saves a checkpoint. The worker goes on when it resolves; the run fails if it rejects. */
export type SaveCheckpoint = (checkpoint: Checkpoint) => Promise<void>;
