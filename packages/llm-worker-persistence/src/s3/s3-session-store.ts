import { sessionNotFound } from "../session/session-error.js";
import { assertSessionId } from "../session/session-id.js";
import type {
  LogPosition,
  SessionListing,
  SessionLog,
  SessionStore,
} from "../session/session-store.js";
import { S3Objects } from "./s3-objects.js";
import { keyPrefixOf, type S3Options } from "./s3-options.js";
import { toS3SessionError } from "./s3-session-error.js";
import { type KnownEnd, SessionAppends } from "./session-appends.js";
import { compactLog, type SessionCompaction } from "./session-compaction.js";
import { SessionKeys } from "./session-keys.js";
import { SessionLogReader } from "./session-log-reader.js";
import { LogViewBuilder, viewLog } from "./session-log-view.js";
import { traceObject } from "./session-objects.js";
import { removeSession } from "./session-removal.js";

const DEFAULT_COMPACT_AFTER_APPENDS = 1_000;
/** So the work of all compactions of a log grows with its length, not with its square. */
const MAX_MERGED_PER_LOOSE = 8;

/** Options of {@link S3SessionStore}. `partBytes` has no meaning for it. */
export interface S3SessionStoreOptions extends S3Options {
  /**
   * After so many appends that have objects of their own, and an eighth of those that are merged, the
   * last one also compacts its log, and takes as long. Default 1,000; `Infinity`: only `compact` does.
   */
  readonly compactAfterAppends?: number | undefined;
}

/**
 * Keeps each append as an object, `PREFIX/sessions/{id}/log/{place}.jsonl`, in S3 or a service that
 * speaks its protocol. Any number of machines may use one prefix; of two that continue one session,
 * the second gets `session_conflict`. An append whose acknowledgement was lost counts once.
 *
 * The server has to have conditional writes (`If-None-Match`), and listings that show what was
 * written: one without the first is refused by the first append. Needs `@aws-sdk/client-s3`, which is
 * loaded by the first call.
 */
export class S3SessionStore implements SessionStore {
  readonly #objects: S3Objects;
  readonly #keys: SessionKeys;
  readonly #appends: SessionAppends;
  readonly #reader: SessionLogReader;
  readonly #compactAfterAppends: number;

  /** @throws RangeError for a `compactAfterAppends` that makes no sense */
  constructor(options: S3SessionStoreOptions) {
    this.#objects = new S3Objects(options);
    this.#keys = new SessionKeys(keyPrefixOf(options));
    this.#appends = new SessionAppends(this.#objects, this.#keys);
    this.#reader = new SessionLogReader(this.#objects, this.#keys);
    const { compactAfterAppends = DEFAULT_COMPACT_AFTER_APPENDS } = options;
    const isCount = Number.isSafeInteger(compactAfterAppends) && compactAfterAppends >= 2;
    if (!isCount && compactAfterAppends !== Infinity) {
      throw new RangeError("compactAfterAppends has to be an integer of at least 2, or Infinity");
    }
    this.#compactAfterAppends = compactAfterAppends;
  }

  append(id: string, position: LogPosition, lines: Uint8Array): Promise<LogPosition> {
    return this.#using(id, async () => {
      const end = await this.#appends.append(id, position, lines);
      const known = this.#appends.known(id);
      if (known && this.#isFragmented(known)) {
        this.#appends.know(id, { ...known, looseCount: 0 });
        // The lines are in the log. What could not be compacted now is so after as many again.
        await this.#compact(id).catch(() => undefined);
      }
      return end;
    });
  }

  read(id: string): Promise<SessionLog> {
    return this.#using(id, async () => {
      const view = await viewLog(this.#objects, this.#keys, id);
      if (view === undefined) throw sessionNotFound(id);
      const { position } = view;
      if (!view.hasHole) this.#appends.know(id, { position, looseCount: view.appends.length });
      const chunks = this.#named(id, this.#reader.lines(id, view));
      return { position, tornByteCount: 0, chunks };
    });
  }

  async *list(): AsyncGenerator<SessionListing> {
    const listings: SessionListing[] = [];
    let builder = new LogViewBuilder();
    let id = "";
    const finish = (): void => {
      const view = builder.build();
      if (view) listings.push({ id, byteCount: view.byteCount, modifiedAtMs: view.modifiedAtMs });
      builder = new LogViewBuilder();
    };
    for await (const entry of this.#named(undefined, this.#objects.list(this.#keys.prefix))) {
      const key = this.#keys.parse(entry.key);
      if (!key) continue;
      if (key.sessionId !== id) finish();
      id = key.sessionId;
      builder.add(entry, key);
    }
    finish();
    // The keys of a session are in a row, but where one id begins another, `-` sorts before `/`.
    yield* listings.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Of two stores that delete a session at the same time both may resolve to `true`: S3 does not tell. */
  delete(id: string): Promise<boolean> {
    return this.#using(id, async () => {
      this.#appends.forget(id);
      return removeSession(this.#objects, this.#keys, id);
    });
  }

  /** One object for each call, `PREFIX/traces/{id}/{time}.jsonl`. */
  appendTrace(id: string, lines: Uint8Array): Promise<void> {
    return this.#using(id, async () => {
      if (
        this.#appends.known(id) === undefined &&
        !(await viewLog(this.#objects, this.#keys, id))
      ) {
        throw sessionNotFound(id);
      }
      await this.#objects.put(traceObject(this.#keys.newTrace(id)), lines);
    });
  }

  /**
   * Makes one object of a log, which is then read by few requests. May be called at any time, by
   * anybody: who reads or continues the log does not notice. Holds the log in memory.
   *
   * @throws SessionError `not_found`; `unavailable` also for a log of more than 256 MiB
   */
  compact(id: string): Promise<SessionCompaction> {
    return this.#using(id, async () => {
      const compaction = await this.#compact(id);
      const known = this.#appends.known(id);
      if (known) this.#appends.know(id, { ...known, looseCount: 0 });
      return compaction;
    });
  }

  #isFragmented({ position, looseCount }: KnownEnd): boolean {
    const mergedCount = position - looseCount;
    return looseCount >= Math.max(this.#compactAfterAppends, mergedCount / MAX_MERGED_PER_LOOSE);
  }

  #compact(id: string): Promise<SessionCompaction> {
    return compactLog(this.#objects, this.#keys, this.#reader, id);
  }

  async *#named<T>(
    id: string | undefined,
    source: AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined> {
    try {
      yield* source;
    } catch (error) {
      throw toS3SessionError(error, this.#objects.bucket, id);
    }
  }

  async #using<T>(id: string, task: () => Promise<T>): Promise<T> {
    assertSessionId(id);
    try {
      return await task();
    } catch (error) {
      throw toS3SessionError(error, this.#objects.bucket, id);
    }
  }
}
