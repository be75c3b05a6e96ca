import { sessionConflict, sessionNotFound } from "./session-error.js";
import { assertSessionId } from "./session-id.js";
import type { LogPosition, SessionListing, SessionLog, SessionStore } from "./session-store.js";

interface MemoryLog {
  readonly appends: Uint8Array[];
  readonly trace: Uint8Array[];
  byteCount: number;
  modifiedAtMs: number;
}

/** Keeps sessions in the memory of the process: for tests and short runs. */
export class MemorySessionStore implements SessionStore {
  readonly #logs = new Map<string, MemoryLog>();

  async append(id: string, position: LogPosition, lines: Uint8Array): Promise<LogPosition> {
    assertSessionId(id);
    const log = this.#logs.get(id);
    if (log === undefined && position > 0) throw sessionNotFound(id);
    if ((log?.appends.length ?? 0) !== position) throw sessionConflict(id, position);
    const kept = log ?? { appends: [], trace: [], byteCount: 0, modifiedAtMs: 0 };
    kept.appends.push(Uint8Array.from(lines));
    kept.byteCount += lines.length;
    kept.modifiedAtMs = Date.now();
    this.#logs.set(id, kept);
    return kept.appends.length;
  }

  async read(id: string): Promise<SessionLog> {
    assertSessionId(id);
    const log = this.#logs.get(id);
    if (log === undefined) throw sessionNotFound(id);
    const appends = [...log.appends];
    return { position: appends.length, tornByteCount: 0, chunks: inTurn(appends) };
  }

  async *list(): AsyncGenerator<SessionListing> {
    for (const [id, { byteCount, modifiedAtMs }] of [...this.#logs].toSorted(byId)) {
      yield { id, byteCount, modifiedAtMs };
    }
  }

  async delete(id: string): Promise<boolean> {
    assertSessionId(id);
    return this.#logs.delete(id);
  }

  async appendTrace(id: string, lines: Uint8Array): Promise<void> {
    assertSessionId(id);
    const log = this.#logs.get(id);
    if (log === undefined) throw sessionNotFound(id);
    log.trace.push(Uint8Array.from(lines));
  }

  /** What was traced of a session. */
  async readTrace(id: string): Promise<string> {
    assertSessionId(id);
    return Buffer.concat(this.#logs.get(id)?.trace ?? []).toString();
  }
}

async function* inTurn(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function byId([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
