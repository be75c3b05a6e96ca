import { isDeepStrictEqual } from "node:util";
import type { Checkpoint, Item, WorkerSnapshot } from "llm-worker";
import type { BlobId } from "llm-worker/blob";
import { appendedChanges, isSameTurn } from "./appended-changes.js";
import { historyEdits } from "./history-edits.js";
import type { ConfigChange, PositionedResult, SessionChange } from "./session-entry.js";
import { applyChange, type SessionState } from "./session-state.js";

type Change = Exclude<SessionChange, { type: "session_start" }>;

/** What has happened between two checkpoints, in entries. */
export interface SessionChanges {
  readonly changes: readonly Change[];
  /** Blobs that were seen for the first time. */
  readonly blobIds: readonly BlobId[];
}

/**
 * Finds what has changed since the last checkpoint and makes it happen in `recorded` as well, which
 * is then what the checkpoint shows: whatever no other entry can say, `config_changed` does.
 */
export function recordChanges(
  recorded: SessionState,
  { snapshot, moment }: Checkpoint,
): SessionChanges {
  const changes: Change[] = [];
  const record = (change: Change): void => {
    applyChange(recorded, change);
    changes.push(change);
  };
  const blobIds = newBlobIds(recorded, snapshot);
  recordDecisions(recorded, snapshot, record);
  if (recorded.phase === "cache_locked" && snapshot.phase === "mutable") {
    record({ type: "config_changed", changed: { phase: "mutable", lockedItemCount: 0 } });
  }
  recordHistory(recorded, snapshot, record);
  recordResults(recorded, snapshot, record);
  if (snapshot.phase === "cache_locked" && !isLockedAs(recorded, snapshot)) {
    record({ type: "cache_locked", lockedItemCount: snapshot.lockedItemCount });
  }
  if (moment.at === "turn_end") record({ type: "turn_end", turn: moment.turn });
  if (moment.at === "run_end") {
    const { at: _, ...outcome } = moment;
    const isNew = !isDeepStrictEqual(recorded.pause, snapshot.pause);
    record({ type: "run_outcome", ...outcome, ...(isNew ? { pause: snapshot.pause } : {}) });
  }
  const changed = remainingChange(recorded, snapshot);
  if (Object.keys(changed).length > 0) record({ type: "config_changed", changed });
  // Seen, but by a call that has no result yet: there is nothing else to say of them.
  if (blobIds.length > 0 && changes.length === 0) record({ type: "tool_results", results: [] });
  return { changes, blobIds };
}

type Recorder = (change: Change) => void;

/** Ids are only ever added; if they are not, `remainingChange` says so. */
function newBlobIds(recorded: SessionState, { knownBlobIds }: WorkerSnapshot): readonly BlobId[] {
  const known = recorded.knownBlobIds.length;
  if (recorded.knownBlobIds.some((id, i) => knownBlobIds[i] !== id)) return [];
  const added = knownBlobIds.slice(known);
  for (const id of added) recorded.knownBlobIds.push(id);
  return added;
}

function recordDecisions(recorded: SessionState, current: WorkerSnapshot, record: Recorder): void {
  const resumes = recorded.pause !== undefined && current.pause === undefined;
  let decided: Pick<Extract<Change, { type: "user_input" }>, "followUp" | "verdicts"> = {};
  if (recorded.openTurn !== undefined && isSameTurn(recorded.openTurn, current.openTurn)) {
    const { verdicts, followUp } = current.openTurn;
    if (!isDeepStrictEqual(recorded.openTurn.verdicts, verdicts)) decided = { verdicts };
    if (!isDeepStrictEqual(recorded.openTurn.followUp, followUp)) {
      decided = { ...decided, followUp };
    }
  }
  if (!resumes && Object.keys(decided).length === 0) return;
  record({ type: "user_input", items: [], ...(resumes ? { resumes } : {}), ...decided });
}

function recordHistory(recorded: SessionState, current: WorkerSnapshot, record: Recorder): void {
  const { edits, keptCount } = historyEdits(recorded.items, current.items);
  if (edits.length > 0) record({ type: "pruned", edits });
  const appended: readonly Item[] = current.items.slice(keptCount);
  for (const change of appendedChanges(appended, recorded.openTurn, current.openTurn)) {
    record(change);
  }
}

function recordResults(recorded: SessionState, current: WorkerSnapshot, record: Recorder): void {
  const turn = recorded.openTurn;
  if (turn === undefined || !isSameTurn(turn, current.openTurn)) return;
  const results: PositionedResult[] = [];
  for (const [position, item] of current.openTurn.results.entries()) {
    const before = turn.results[position];
    if (before !== item && !isDeepStrictEqual(before, item)) results.push({ position, item });
  }
  if (results.length > 0) record({ type: "tool_results", results });
}

function isLockedAs(recorded: SessionState, current: WorkerSnapshot): boolean {
  return recorded.phase === "cache_locked" && recorded.lockedItemCount === current.lockedItemCount;
}

function remainingChange(recorded: SessionState, current: WorkerSnapshot): ConfigChange {
  const { phase, lockedItemCount, systemPrompt, generation, openTurn, pause } = current;
  const { knownBlobIds } = current;
  const differs = (field: keyof ConfigChange): boolean =>
    !isDeepStrictEqual(recorded[field], current[field]);
  return {
    ...(differs("phase") ? { phase } : {}),
    ...(differs("lockedItemCount") ? { lockedItemCount } : {}),
    ...(differs("systemPrompt") ? { systemPrompt: systemPrompt ?? null } : {}),
    ...(differs("generation") ? { generation: generation ?? null } : {}),
    ...(differs("openTurn") ? { openTurn: openTurn ?? null } : {}),
    ...(differs("pause") ? { pause: pause ?? null } : {}),
    ...(areSameIds(recorded.knownBlobIds, knownBlobIds) ? {} : { knownBlobIds }),
  };
}

/** A session may have thousands, and they are compared at each checkpoint. */
function areSameIds(before: readonly BlobId[], after: readonly BlobId[]): boolean {
  return before.length === after.length && before.every((id, i) => id === after[i]);
}
