import type { Item, WorkerSnapshot } from "llm-worker";
import type { BlobId } from "llm-worker/blob";
import type { ConfigChange, HistoryEdit, OpenTurn, SessionChange } from "./session-entry.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a log amounts to so far: a snapshot that is changed in place, entry by entry. */
export type SessionState = Omit<
  Mutable<WorkerSnapshot>,
  "items" | "knownBlobIds" | "openTurn" | "systemPrompt" | "generation" | "pause"
> & {
  items: Item[];
  knownBlobIds: BlobId[];
  openTurn: OpenTurn | undefined;
  systemPrompt: WorkerSnapshot["systemPrompt"];
  generation: WorkerSnapshot["generation"];
  pause: WorkerSnapshot["pause"];
};

/** A state that shares its items with the snapshot. */
export function stateOfSnapshot(snapshot: WorkerSnapshot): SessionState {
  const { openTurn, systemPrompt, generation, pause } = snapshot;
  return {
    ...snapshot,
    items: [...snapshot.items],
    knownBlobIds: [...snapshot.knownBlobIds],
    openTurn,
    systemPrompt,
    generation,
    pause,
  };
}

/** Makes the change happen. The one place that says what an entry means. */
export function applyChange(
  state: SessionState,
  change: Exclude<SessionChange, { type: "session_start" }>,
): void {
  switch (change.type) {
    case "user_input":
      append(state.items, change.items);
      if (change.resumes === true) state.pause = undefined;
      if (state.openTurn !== undefined) {
        const { verdicts = state.openTurn.verdicts, followUp = state.openTurn.followUp } = change;
        state.openTurn = { ...state.openTurn, verdicts, followUp };
      }
      return;
    case "assistant_items":
      append(state.items, change.items);
      if (change.openTurn !== undefined) {
        state.openTurn = newTurn(callsWithoutResult(change.items), change.openTurn.stop);
      }
      return;
    case "tool_results":
      if ("results" in change) takeResults(state, change.results);
      else closeTurn(state, change.items);
      return;
    case "turn_end":
      return;
    case "cache_locked":
      state.phase = "cache_locked";
      state.lockedItemCount = change.lockedItemCount;
      return;
    case "pruned":
      state.items = edited(state.items, change.edits);
      return;
    case "run_outcome":
      if (change.pause !== undefined) state.pause = change.pause;
      return;
    case "config_changed":
      configure(state, change.changed);
      return;
  }
}

/** The calls behind the last result: they wait for theirs. */
export function callsWithoutResult(items: readonly Item[]): OpenTurn["calls"] {
  const lastResult = items.findLastIndex(({ type }) => type === "tool_result");
  return items.slice(lastResult + 1).filter((item) => item.type === "tool_call");
}

function newTurn(calls: OpenTurn["calls"], stop: OpenTurn["stop"]): OpenTurn {
  return {
    calls,
    results: calls.map(() => null),
    verdicts: calls.map(() => null),
    stop,
    followUp: [],
  };
}

function takeResults(
  state: SessionState,
  results: Extract<SessionChange, { results: unknown }>["results"],
): void {
  if (state.openTurn === undefined) return;
  const taken = [...state.openTurn.results];
  for (const { position, item } of results) taken[position] = item;
  state.openTurn = { ...state.openTurn, results: taken };
}

function closeTurn(
  state: SessionState,
  items: Extract<SessionChange, { type: "tool_results"; items: unknown }>["items"],
): void {
  for (const item of items) {
    if (item.type !== "recorded") state.items.push(item);
    else {
      const recorded = state.openTurn?.results[item.position];
      if (recorded === undefined || recorded === null) throw new MissingResultError();
      state.items.push(recorded);
    }
  }
  state.openTurn = undefined;
}

/** An entry refers to a result that none before it has brought: the log is not whole. */
export class MissingResultError extends Error {}

function edited(items: readonly Item[], edits: readonly HistoryEdit[]): Item[] {
  const result: Item[] = [];
  let at = 0;
  for (const { start, deleteCount, items: inserted } of edits) {
    append(result, items.slice(at, start));
    append(result, inserted);
    at = start + deleteCount;
  }
  append(result, items.slice(at));
  return result;
}

function configure(state: SessionState, changed: ConfigChange): void {
  const { phase, lockedItemCount, systemPrompt, generation, openTurn, pause } = changed;
  if (phase !== undefined) state.phase = phase;
  if (lockedItemCount !== undefined) state.lockedItemCount = lockedItemCount;
  if (systemPrompt !== undefined) state.systemPrompt = systemPrompt ?? undefined;
  if (generation !== undefined) state.generation = generation ?? undefined;
  if (openTurn !== undefined) state.openTurn = openTurn ?? undefined;
  if (pause !== undefined) state.pause = pause ?? undefined;
  if (changed.knownBlobIds !== undefined) state.knownBlobIds = [...changed.knownBlobIds];
}

/** Unlike `push(...items)` without a bound on how many. */
function append<T>(target: T[], items: readonly T[]): void {
  for (const item of items) target.push(item);
}
