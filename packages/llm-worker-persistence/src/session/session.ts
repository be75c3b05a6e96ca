import type { Checkpoint, Phase, RunEvent, Worker, WorkerSnapshot } from "llm-worker";
import { encodeEntries } from "./entry-lines.js";
import { replaySession } from "./replay.js";
import { recordChanges } from "./session-changes.js";
import { SESSION_LOG_VERSION, type SessionChange, type SessionEntry } from "./session-entry.js";
import { SessionError } from "./session-error.js";
import { assertSessionId, createSessionId } from "./session-id.js";
import { LogWriter } from "./log-writer.js";
import { type SessionState, stateOfSnapshot } from "./session-state.js";
import type { LogPosition, SessionStore } from "./session-store.js";
import { TraceWriter } from "./trace-writer.js";

/** What a session needs of a worker. */
export type SessionWorker = Pick<Worker<Phase>, "checkpoint" | "onCheckpoint" | "onEvent">;

/** Options of any {@link Session}. */
export interface SessionOptions {
  /** Keep every event of the runs in the trace beside the log, for people to read. Default: no. */
  readonly trace?: boolean | undefined;
  /** Told once of a trace that cannot be written; the session goes on without. */
  readonly onTraceFailure?: ((error: unknown) => void) | undefined;
  /** Milliseconds since the epoch, for the entries. */
  readonly now?: (() => number) | undefined;
}

/** Options of {@link Session.start}. */
export interface SessionStartOptions extends SessionOptions {
  /** Default: a new UUID v7. */
  readonly id?: string | undefined;
}

/** Options of {@link Session.fork}. */
export interface SessionForkOptions extends SessionStartOptions {
  /** How many entries of the log the fork takes over, from the first. Default: all. */
  readonly at?: number | undefined;
}

/**
 * Keeps what a worker remembers in an append-only log, so that another process can go on from it. An
 * attached worker waits for the log wherever something could be lost: a prompt is in the log before
 * the request goes out, a call before it runs, a result before the next request. A run whose entries
 * cannot be appended rejects with the error of the store.
 *
 * @example
 * const session = await Session.start(sessions, worker);
 * await worker.run("go");
 * // Later, in another process:
 * const session = await Session.open(sessions, id);
 * const worker = Worker.restore(session.snapshot, { provider, tools, store });
 * await session.attach(worker);
 */
export class Session {
  readonly id: string;
  /** Bytes of an unfinished append that were found at the end of the log, and dropped. */
  readonly tornByteCount: number;
  readonly #store: SessionStore;
  readonly #options: SessionOptions;
  readonly #writer: string = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
  readonly #log: LogWriter;
  #state: SessionState | undefined;
  #entryCount: number;
  #worker: SessionWorker | undefined;
  #detach: (() => void) | undefined;
  #trace: TraceWriter | undefined;
  #isClosed = false;

  private constructor(store: SessionStore, id: string, opened: OpenedLog, options: SessionOptions) {
    this.id = id;
    this.tornByteCount = opened.tornByteCount;
    this.#store = store;
    this.#options = options;
    this.#state = opened.state;
    this.#entryCount = opened.entryCount;
    this.#log = new LogWriter(store, id, opened.position);
  }

  /**
   * Begins the log of a worker, from what it remembers now, and attaches it.
   *
   * @throws SessionError `session_conflict` if there is a session of that id
   */
  static async start(
    store: SessionStore,
    worker: SessionWorker,
    options: SessionStartOptions = {},
  ): Promise<Session> {
    const id = options.id ?? createSessionId();
    assertSessionId(id);
    const session = new Session(store, id, NEW_LOG, options);
    await session.attach(worker);
    return session;
  }

  /**
   * Replays a log. Restore a worker from `snapshot`, then `attach` it.
   *
   * @throws SessionError `not_found`; `corrupt` and `unsupported_version` with the number of the line
   */
  static async open(
    store: SessionStore,
    id: string,
    options: SessionOptions = {},
  ): Promise<Session> {
    return new Session(store, id, await replaySession(store, id), options);
  }

  /**
   * A new session that begins with the first entries of another, which stays as it is. What comes
   * after them need not even be readable.
   */
  static async fork(
    store: SessionStore,
    id: string,
    options: SessionForkOptions = {},
  ): Promise<Session> {
    const { state, entryCount } = await replaySession(store, id, checkEntryCount(options.at));
    const forkId = options.id ?? createSessionId();
    assertSessionId(forkId);
    const fork = new Session(store, forkId, NEW_LOG, options);
    await fork.#begin(snapshotOf(state), { sessionId: id, entryCount });
    return fork;
  }

  /** What the worker remembers as of the last entry. */
  get snapshot(): WorkerSnapshot {
    if (this.#state === undefined) throw closed(this.id);
    return snapshotOf(this.#state);
  }

  /** How many entries the log has: a place that `fork` takes as `at`. */
  get entryCount(): number {
    return this.#entryCount;
  }

  /**
   * Logs what happens to this worker from now on. What it remembers beyond the log is appended first.
   *
   * @throws SessionError `session_conflict` if the session was continued by somebody else
   */
  async attach(worker: SessionWorker): Promise<void> {
    if (this.#isClosed) throw closed(this.id);
    this.#detach?.();
    const stopSaving = worker.onCheckpoint((checkpoint) => this.#save(checkpoint));
    const trace = this.#openTrace();
    const stopTracing =
      trace === undefined ? undefined : worker.onEvent((event: RunEvent) => trace.add(event));
    this.#worker = worker;
    this.#trace = trace;
    this.#detach = () => {
      stopSaving();
      stopTracing?.();
    };
    try {
      await worker.checkpoint();
    } catch (error) {
      this.#detach();
      throw error;
    }
  }

  /** Appends what has changed outside of a run: after `lock()`, `setItems()` and the like. */
  async save(): Promise<void> {
    if (this.#isClosed || this.#worker === undefined) throw closed(this.id);
    await this.#worker.checkpoint();
  }

  /**
   * Logs no more. Resolves when everything is in the log.
   *
   * @throws SessionError if the last entries cannot be appended; the session has ended all the same
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#detach?.();
    await this.#log.flush();
    await this.#trace?.flush();
  }

  async #save(checkpoint: Checkpoint): Promise<void> {
    if (this.#state === undefined) return this.#begin(checkpoint.snapshot);
    const { changes, blobIds } = recordChanges(this.#state, checkpoint);
    // After a restore the two are equal but not the same objects: keep one of them.
    if (checkpoint.moment.at === "explicit") this.#state = stateOfSnapshot(checkpoint.snapshot);
    const [first, ...rest] = changes;
    if (first !== undefined) {
      const entry = this.#entry(first);
      this.#add([
        blobIds.length === 0 ? entry : { ...entry, blobIds },
        ...rest.map((change) => this.#entry(change)),
      ]);
    }
    await this.#log.flush();
    this.#trace?.flushSoon();
  }

  async #begin(
    snapshot: WorkerSnapshot,
    forkedFrom?: { readonly sessionId: string; readonly entryCount: number },
  ): Promise<void> {
    this.#state = stateOfSnapshot(snapshot);
    const start = { type: "session_start", sessionId: this.id, snapshot } as const;
    this.#add([this.#entry(forkedFrom === undefined ? start : { ...start, forkedFrom })]);
    await this.#log.flush();
  }

  #entry(change: SessionChange): SessionEntry {
    const header = {
      v: SESSION_LOG_VERSION,
      seq: this.#entryCount,
      atMs: (this.#options.now ?? Date.now)(),
      writer: this.#writer,
    } as const;
    this.#entryCount += 1;
    return { ...header, ...change };
  }

  #add(entries: readonly SessionEntry[]): void {
    this.#log.add(encodeEntries(entries));
  }

  #openTrace(): TraceWriter | undefined {
    if (this.#options.trace !== true) return undefined;
    return new TraceWriter(this.#store, this.id, this.#options.onTraceFailure);
  }
}

interface OpenedLog {
  readonly state: SessionState | undefined;
  readonly entryCount: number;
  readonly position: LogPosition;
  readonly tornByteCount: number;
}

const NEW_LOG: OpenedLog = { state: undefined, entryCount: 0, position: 0, tornByteCount: 0 };

/** As plain JSON: without fields that have no value, and sharing nothing. */
function snapshotOf(state: SessionState): WorkerSnapshot {
  return JSON.parse(JSON.stringify(state)) as WorkerSnapshot;
}

function checkEntryCount(at: number | undefined): number | undefined {
  if (at === undefined || (Number.isInteger(at) && at > 0)) return at;
  throw new RangeError("at is a number of entries, from 1: a fork has at least the session_start");
}

function closed(sessionId: string): SessionError {
  return new SessionError(
    "closed",
    `session ${sessionId} has ended, or has no worker: open it, and attach one`,
    { sessionId },
  );
}
