import { LlmWorkerError } from "../errors.js";

/** System prompt, tools, history and configuration may change. */
export type Mutable = "mutable";
/** The sent prefix is frozen, so that the provider's prompt cache keeps hitting. */
export type CacheLocked = "cache_locked";
/** Whether what has been sent is frozen. */
export type Phase = Mutable | CacheLocked;

/** A method was called in the phase that forbids it. */
export class PhaseError extends LlmWorkerError {
  readonly code = "wrong_phase";
  constructor(verb: string, needs: Phase, is: Phase) {
    const next = is === "mutable" ? "lock" : "unlock";
    super(`${verb}() needs a ${needs} worker, this one is ${is}: call ${next}() first`);
  }
}

/** A method was called at a moment that forbids it: during a run, or without the pause it needs. */
export class RunStateError extends LlmWorkerError {
  readonly code: "run_in_progress" | "not_paused" | "paused";
  constructor(code: RunStateError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
