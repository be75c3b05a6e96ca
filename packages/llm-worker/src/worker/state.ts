import type { BlobId } from "../blob/blob-store.js";
import type { StopInfo } from "../model/event.js";
import type { BlobRef, Item, ToolCallItem, ToolResultItem } from "../model/item.js";
import type { GenerationOptions } from "../model/request.js";
import type { Phase } from "./phase.js";

/** What a worker remembers between requests. Changed in place by the run and the public methods. */
export interface WorkerState {
  phase: Phase;
  systemPrompt: string | undefined;
  generation: GenerationOptions | undefined;
  /** Append-only while a run is on; anything else puts a new array in its place. */
  items: Item[];
  lockedItemCount: number;
  openTurn: OpenTurn | undefined;
  /** Set while the worker is paused. */
  pause: PauseState | undefined;
  /** Somebody asked from outside for a pause at the next safe place. */
  pauseRequest: string | undefined;
  /** Set by a restore: whether the store still has what the history names is not known yet. */
  hasUncheckedBlobs: boolean;
  /** Blobs that this session has seen: only these are opened for the model. */
  readonly knownBlobIds: Set<BlobId>;
}

/**
 * The calls of an answer that has not got all its results yet. The results enter the history
 * together, in the order of the calls; until then they wait here, across a pause as well.
 */
export interface OpenTurn {
  readonly calls: readonly ToolCallItem[];
  /** By position of the call. */
  readonly results: (ToolResultItem | undefined)[];
  readonly verdicts: (CallVerdict | undefined)[];
  readonly stop: StopInfo;
  /** Items that enter the history behind the results. */
  readonly followUp: Item[];
}

/** Where a paused run goes on: with the open turn's calls, with the next request, or at its end. */
export interface PauseState {
  readonly reason: string;
  readonly next: "answer" | "ask" | "end";
  readonly turn: number;
}

/** What somebody decided on a call that was waiting. */
export type CallVerdict =
  | { readonly type: "approved" }
  | { readonly type: "denied"; readonly reason: string }
  | { readonly type: "answered"; readonly output: unknown };

/** Makes the state for calls that nothing is known of yet. */
export function openTurn(calls: readonly ToolCallItem[], stop: StopInfo): OpenTurn {
  return {
    calls,
    results: calls.map(() => undefined),
    verdicts: calls.map(() => undefined),
    stop,
    followUp: [],
  };
}

/** The blobs that items name. */
export function blobsOf(items: Iterable<Item | undefined>): BlobRef[] {
  const refs: BlobRef[] = [];
  for (const item of items) {
    if (item?.type !== "tool_result" && item?.type !== "tool_call") continue;
    if (item.blob !== undefined) refs.push(item.blob);
  }
  return refs;
}

/** Their ids, for a history that comes from elsewhere. */
export function blobIdsOf(items: Iterable<Item | undefined>): BlobId[] {
  return blobsOf(items).map(({ id }) => id);
}
