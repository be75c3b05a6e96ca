import type { StopInfo } from "../model/event.js";
import type { Item, MessageItem } from "../model/item.js";

/** Ends the run here; `run` resolves as finished, with the reason. */
export interface Stop {
  readonly stop: string;
}

/** Pauses the run; `run` resolves as `paused`, with the reason and what is pending. */
export interface Pause {
  readonly pause: string;
}

/**
 * The ten points at which a hook may change a run: `in` is what the hook is told, `out` what it may
 * decide. Returning nothing lets the run go on as it was.
 */
export interface HookPoints {
  /** Before a prompt enters the history: change it, or cancel the run. */
  onPromptSubmit: {
    in: { readonly item: MessageItem };
    out: { readonly item: MessageItem } | { readonly cancel: string };
  };
  /** A turn begins. Turns are counted from 1 in each run. */
  onTurnStart: { in: { readonly turn: number }; out: Stop };
  /**
   * Before a request is built: replace the items that go out. With `scope: "history"` they replace
   * the worker's history as well, so that later requests carry the same bytes; with `"request"`
   * (default) only this request changes. The locked prefix has to stay as it is. A hook that adds items
   * to the history, or takes some away, comes before hooks that change a request only: it would make
   * what they have changed part of the history. One that replaces items one by one may come anywhere.
   */
  preLlmRequest: {
    in: {
      readonly turn: number;
      readonly items: readonly Item[];
      readonly lockedItemCount: number;
      /** Input tokens that this request is likely to cost. */
      readonly estimatedTokens: number;
    };
    out:
      | { readonly items: readonly Item[]; readonly scope?: "request" | "history" | undefined }
      | { readonly cancel: string };
  };
  /**
   * The model has answered: replace its items, or reject them. A rejected answer does not enter the
   * history; the reason goes to the model as a user message and it is asked again.
   */
  postLlmResponse: {
    in: { readonly turn: number; readonly items: readonly Item[]; readonly stop: StopInfo };
    out: { readonly items: readonly Item[] } | { readonly reject: string };
  };
  /**
   * Before a tool runs, in the order of the calls: change its input, skip it with a given result,
   * deny it with a reason for the model, pause until somebody has decided, or stop the run.
   */
  preToolCall: {
    in: {
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
    };
    out:
      | { readonly input: unknown }
      | { readonly skip: unknown }
      | { readonly deny: string }
      | Pause
      | Stop;
  };
  /** A tool has returned; `output` is what it returned, before any of it is stored or cut. */
  postToolCall: {
    in: {
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly output: unknown;
      readonly isError: boolean;
    };
    out: { readonly output: unknown; readonly isError?: boolean | undefined } | Stop;
  };
  /** A turn is over: go on with further items, pause, or stop. */
  onTurnEnd: {
    in: {
      readonly turn: number;
      /** What the turn added to the history. */
      readonly items: readonly Item[];
      /** Whether another turn follows anyway, because tools were called. */
      readonly willContinue: boolean;
    };
    out: { readonly continueWith: readonly Item[] } | Pause | Stop;
  };
  onPause: { in: { readonly reason: string }; out: never };
  /** A paused run goes on: add items to the history first. */
  onResume: {
    in: { readonly reason: string };
    out: { readonly addContext: readonly Item[] };
  };
  onAbort: { in: { readonly reason: unknown }; out: never };
}

/** Name of one of the ten points. */
export type HookPoint = keyof HookPoints;

type DecisionName<Out> = Out extends unknown ? keyof Out : never;

/** What tells the decisions of each point apart. Those that have none only watch. */
export const DECISIONS: {
  readonly [P in HookPoint]: readonly DecisionName<HookPoints[P]["out"]>[];
} = {
  onPromptSubmit: ["item", "cancel"],
  onTurnStart: ["stop"],
  preLlmRequest: ["items", "cancel"],
  postLlmResponse: ["items", "reject"],
  preToolCall: ["input", "skip", "deny", "pause", "stop"],
  postToolCall: ["output", "stop"],
  onTurnEnd: ["continueWith", "pause", "stop"],
  onPause: [],
  onResume: ["addContext"],
  onAbort: [],
};

/** What a hook of a point may return: nothing, or one decision. Two at once are refused. */
export type Decision<P extends HookPoint> = HookPoints[P]["out"] | undefined | void;

/**
 * A hook gets facts and returns a decision, or nothing. It is awaited. `signal` is aborted when the run
 * is, or when the hook's time is up; after the hook has answered, no more.
 */
export type Hook<P extends HookPoint> = (
  facts: HookPoints[P]["in"],
  signal: AbortSignal,
) => Decision<P> | Promise<Decision<P>>;
