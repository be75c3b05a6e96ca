import { LlmWorkerError } from "../errors.js";
import type { StopInfo } from "../model/event.js";
import type { Item, ToolCallItem, ToolResultItem } from "../model/item.js";
import type { GenerationOptions } from "../model/request.js";
import type { Phase } from "./phase.js";
import { blobIdsOf, type CallVerdict, type PauseState, type WorkerState } from "./state.js";

/**
 * Everything a worker remembers, as plain JSON: `JSON.stringify` it, keep it anywhere, restore it
 * in another process with `Worker.restore`. Holds no tools, keys or blobs.
 */
export interface WorkerSnapshot {
  readonly type: "llm_worker_snapshot";
  readonly version: typeof SNAPSHOT_VERSION;
  readonly phase: Phase;
  readonly systemPrompt?: string | undefined;
  readonly generation?: GenerationOptions | undefined;
  readonly items: readonly Item[];
  readonly lockedItemCount: number;
  readonly openTurn?:
    | {
        readonly calls: readonly ToolCallItem[];
        /** By position of the call; `null` for one that has no result yet. */
        readonly results: readonly (ToolResultItem | null)[];
        readonly verdicts: readonly (CallVerdict | null)[];
        readonly stop: StopInfo;
        readonly followUp: readonly Item[];
      }
    | undefined;
  readonly pause?: PauseState | undefined;
  readonly knownBlobIds: readonly string[];
}

export const SNAPSHOT_VERSION = 1;

/** What was given to `restore` is not a snapshot that this version can read. */
export class SnapshotError extends LlmWorkerError {
  readonly code = "invalid_snapshot";
}

/** The state as a snapshot that shares nothing with it. */
export function takeSnapshot(state: WorkerState): WorkerSnapshot {
  // Items are plain JSON, so this is a deep copy of exactly what a file would hold.
  return JSON.parse(JSON.stringify(sharingSnapshot(state))) as WorkerSnapshot;
}

/** The state as a snapshot that shares its items with it, which costs nothing per byte. */
export function sharingSnapshot(state: WorkerState): WorkerSnapshot {
  const { openTurn } = state;
  return {
    type: "llm_worker_snapshot",
    version: SNAPSHOT_VERSION,
    phase: state.phase,
    systemPrompt: state.systemPrompt,
    generation: state.generation,
    items: [...state.items],
    lockedItemCount: state.lockedItemCount,
    openTurn:
      openTurn === undefined
        ? undefined
        : {
            ...openTurn,
            results: openTurn.results.map((result) => result ?? null),
            verdicts: openTurn.verdicts.map((verdict) => verdict ?? null),
            followUp: [...openTurn.followUp],
          },
    pause: state.pause,
    knownBlobIds: [...state.knownBlobIds],
  };
}

/**
 * The state that a snapshot holds. One that was taken in the middle of a turn comes back paused, so
 * that `resume` runs the calls that had no result yet, and only those.
 *
 * @throws SnapshotError if it is of another version, damaged, or not a snapshot
 */
export function stateOf(snapshot: WorkerSnapshot): WorkerState {
  if (snapshot?.type !== "llm_worker_snapshot" || !Array.isArray(snapshot.items)) {
    throw new SnapshotError("this is not a worker snapshot: pass what worker.snapshot() returned");
  }
  const version: number = snapshot.version;
  if (version !== SNAPSHOT_VERSION) {
    throw new SnapshotError(
      `snapshot version ${version} cannot be read here, only ${SNAPSHOT_VERSION}: ` +
        "use the version of llm-worker that wrote it",
    );
  }
  if (!isWhole(snapshot)) {
    throw new SnapshotError("this snapshot is damaged: use the last one that was saved whole");
  }
  const copy = JSON.parse(JSON.stringify(snapshot)) as WorkerSnapshot;
  const { openTurn } = copy;
  const interrupted: PauseState | undefined =
    openTurn === undefined ? undefined : { reason: "interrupted", next: "answer", turn: 0 };
  return {
    phase: copy.phase,
    systemPrompt: copy.systemPrompt,
    generation: copy.generation,
    items: [...copy.items],
    lockedItemCount: copy.lockedItemCount,
    openTurn:
      openTurn === undefined
        ? undefined
        : {
            calls: openTurn.calls,
            results: openTurn.results.map((result) => result ?? undefined),
            verdicts: openTurn.verdicts.map((verdict) => verdict ?? undefined),
            stop: openTurn.stop,
            followUp: [...openTurn.followUp],
          },
    pause: copy.pause ?? interrupted,
    pauseRequest: undefined,
    hasUncheckedBlobs: true,
    knownBlobIds: new Set([
      ...copy.knownBlobIds,
      ...blobIdsOf(copy.items),
      ...blobIdsOf((openTurn?.results ?? []).map((result) => result ?? undefined)),
    ]),
  };
}

/** Whether everything is there that a state is made of. Items are not looked into. */
function isWhole({
  phase,
  items,
  lockedItemCount,
  knownBlobIds,
  openTurn,
  pause,
}: WorkerSnapshot): boolean {
  const lists: readonly unknown[] = [
    knownBlobIds,
    ...(openTurn === undefined
      ? []
      : [openTurn.calls, openTurn.results, openTurn.verdicts, openTurn.followUp]),
  ];
  return (
    (phase === "mutable" || phase === "cache_locked") &&
    items.every((item) => typeof item?.type === "string") &&
    Number.isInteger(lockedItemCount) &&
    lockedItemCount >= 0 &&
    lockedItemCount <= items.length &&
    lists.every((list) => Array.isArray(list)) &&
    (pause === undefined || typeof pause.reason === "string")
  );
}
