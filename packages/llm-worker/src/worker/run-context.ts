import type { BlobStoreLike } from "../blob/blob-store.js";
import type { Provider } from "../client/provider.js";
import type { HookRegistry } from "../hook/hook-registry.js";
import type { Usage } from "../model/event.js";
import type { Item } from "../model/item.js";
import type { OutputLimits } from "../output/output-limits.js";
import type { ToolOutputPolicy } from "../output/policy.js";
import type { ToolServer } from "../tool/tool-server.js";
import type { CheckpointMoment } from "./checkpoint.js";
import type { PrefixWatch } from "./prefix-watch.js";
import type { RunEvent } from "./run-event.js";
import type { WorkerState } from "./state.js";
import type { TokenEstimator } from "./token-estimator.js";

/**
 * Bounds of one run. Meeting one ends the run with status `limit`; the history stays valid. A run that
 * is resumed counts its turns on, and its tokens and its time anew.
 */
export interface RunLimits {
  /** Model calls. Default 100. */
  readonly maxTurns?: number | undefined;
  /** Input and output tokens as the provider reports them, summed over the run. Default: none. */
  readonly maxTokens?: number | undefined;
  /** Milliseconds from the start of the run. Default: none. */
  readonly maxWallTimeMs?: number | undefined;
}

/** Model calls of one run, unless told otherwise. */
export const DEFAULT_MAX_TURNS = 100;

/** What a worker's runs work with. Fixed for the life of the worker. */
export interface RunDeps {
  readonly provider: Provider;
  readonly tools: ToolServer;
  readonly hooks: HookRegistry;
  readonly policy: ToolOutputPolicy;
  readonly store: BlobStoreLike | undefined;
  readonly limits: RunLimits;
  /** What the parallel results of one turn may have in the history together. */
  readonly turnInlineMaxBytes: number;
  readonly estimator: TokenEstimator;
  readonly prefix: PrefixWatch;
  limitsOf(toolName: string): OutputLimits;
}

/** One run: what it works on, where it reports, and what it has done so far. */
export interface RunContext {
  readonly state: WorkerState;
  readonly deps: RunDeps;
  /** Aborted from outside, or when the wall time is up. */
  readonly signal: AbortSignal;
  emit(event: RunEvent): void;
  /** Resolves when what the worker remembers has been saved; `undefined` if nobody saves it. */
  checkpoint(moment: CheckpointMoment): Promise<void> | undefined;
  /** Waits while the reader of a stream is behind. */
  drained(): Promise<void> | undefined;
  readonly added: Item[];
  usage: Usage;
  turn: number;
  answers: number;
}

/**
 * Puts items at the end of the history and reports each. All are there before the first is
 * reported: a snapshot that is taken then never holds a part of an answer.
 */
export function addItems(run: RunContext, items: readonly Item[]): void {
  run.state.items.push(...items);
  run.added.push(...items);
  for (const item of items) run.emit({ type: "item_added", item });
}
