import { corrupt, decodeEntries, type Place } from "./entry-lines.js";
import type { SessionEntry } from "./session-entry.js";
import { SessionError } from "./session-error.js";
import { assertSessionId } from "./session-id.js";
import { applyChange, type SessionState, stateOfSnapshot } from "./session-state.js";
import type { LogPosition, SessionStore } from "./session-store.js";

/** What a log amounts to. */
export interface Replay {
  readonly state: SessionState;
  readonly entryCount: number;
  readonly position: LogPosition;
  readonly tornByteCount: number;
}

/**
 * The entries of a session, oldest first, for those who want to look at it.
 *
 * @throws SessionError `not_found`, `corrupt`, `unsupported_version` and those of the store
 */
export async function* readSessionEntries(
  store: SessionStore,
  id: string,
): AsyncGenerator<SessionEntry, void, undefined> {
  assertSessionId(id);
  const { chunks } = await store.read(id);
  for await (const { entry } of decodeEntries(id, chunks)) yield entry;
}

/**
 * Replays a session.
 *
 * @param at only so many entries, from the first; what follows is not even read. Default: all
 */
export async function replaySession(
  store: SessionStore,
  id: string,
  at: number = Infinity,
): Promise<Replay> {
  assertSessionId(id);
  const { position, tornByteCount, chunks } = await store.read(id);
  let state: SessionState | undefined;
  let entryCount = 0;
  for await (const { entry, place } of decodeEntries(id, chunks)) {
    state = next(state, entry, place);
    entryCount += 1;
    if (entryCount >= at) break;
  }
  if (state === undefined || (at !== Infinity && entryCount < at)) {
    throw new SessionError(
      "corrupt",
      `session ${id} has ${entryCount} entries${at === Infinity ? "" : `, not ${at}`}: ` +
        "restore the log from a backup, or start a new session",
      { sessionId: id },
    );
  }
  return { state, entryCount, position, tornByteCount };
}

function next(state: SessionState | undefined, entry: SessionEntry, place: Place): SessionState {
  try {
    const changed = changedBy(state, entry);
    for (const blobId of entry.blobIds ?? []) changed.knownBlobIds.push(blobId);
    return changed;
  } catch {
    throw corrupt(place, "it cannot be applied to what is before it");
  }
}

function changedBy(state: SessionState | undefined, entry: SessionEntry): SessionState {
  if (entry.type === "session_start") return stateOfSnapshot(entry.snapshot);
  if (state === undefined) throw new TypeError("a log begins with session_start");
  applyChange(state, entry);
  return state;
}
