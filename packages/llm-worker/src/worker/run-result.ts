import { LlmWorkerError } from "../errors.js";
import type { LlmErrorInfo, StopInfo, Usage } from "../model/event.js";
import type { Item } from "../model/item.js";
import type { LlmErrorCode } from "../model/llm-error-code.js";

/** How a run ended: the model was done or a hook stopped it, or it was paused, aborted, or met a limit. */
export type RunStatus = "finished" | "paused" | "aborted" | "limit";
/** Which of the limits of a run was met. */
export type LimitName = "turns" | "tokens" | "wall_time";

/** A call that waits for a decision. */
export interface PendingCall {
  readonly callId: string;
  readonly name: string;
  /** The raw JSON text as the model wrote it. */
  readonly arguments: string;
}

/** How a run ended. Whatever the status, the history can be continued. */
export interface RunResult {
  readonly status: RunStatus;
  /** What this run added to the history, in order. */
  readonly items: readonly Item[];
  /** The text of the model's last answer. */
  readonly text: string;
  /** Summed over the requests of this run. */
  readonly usage: Usage;
  /** Model calls that were answered. */
  readonly turns: number;
  /** Why the model stopped last. */
  readonly stop?: StopInfo | undefined;
  /** Why the run was stopped, paused or cancelled, in the words of who did it. */
  readonly reason?: string | undefined;
  /** With status `limit`: which one was met. */
  readonly limit?: LimitName | undefined;
  /** With status `paused`: the calls that wait for a decision. */
  readonly pending?: readonly PendingCall[] | undefined;
}

/**
 * A model call failed for good: retries are used up, or there was no point in them. The history
 * holds everything up to the failed call, so that `run()` without input tries again.
 */
export class RunError extends LlmWorkerError {
  readonly code: LlmErrorCode;
  readonly error: LlmErrorInfo;
  /** What the failed answer had brought. It is not in the history. */
  readonly partialItems: readonly Item[];
  readonly usage: Usage;
  readonly turns: number;

  constructor(
    error: LlmErrorInfo,
    facts: {
      readonly partialItems: readonly Item[];
      readonly usage: Usage;
      readonly turns: number;
    },
  ) {
    super(`the model call failed (${error.code}): ${error.message}`);
    this.code = error.code;
    this.error = error;
    this.partialItems = facts.partialItems;
    this.usage = facts.usage;
    this.turns = facts.turns;
  }
}
