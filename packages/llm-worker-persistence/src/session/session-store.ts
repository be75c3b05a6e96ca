/**
 * Where a log ends. It comes from `read` and `append` and means something to the store only; 0 is
 * the end of a log that does not exist yet.
 */
export type LogPosition = number;

/** A log as it was when it was opened. */
export interface SessionLog {
  /** Where the next append belongs. */
  readonly position: LogPosition;
  /** Bytes of an unfinished append at the end, which are not in `chunks`. */
  readonly tornByteCount: number;
  /** Whole lines, from the first; cut anywhere. Can be read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** One row of a listing. */
export interface SessionListing {
  readonly id: string;
  readonly byteCount: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number;
}

/**
 * Keeps the logs of sessions: whole lines are appended, and nothing that was appended changes. The
 * store knows nothing of what the lines say.
 *
 * All methods reject with a `SessionError`, or with any error that has one of its codes.
 */
export interface SessionStore {
  /**
   * Adds lines at the end of a log, all or none, and durably. Of two appends at one position only one
   * succeeds, whatever processes or machines they come from. At position 0 it makes the log.
   *
   * @param lines one or more lines, each with its line end
   * @returns where the log ends now
   * @throws `session_conflict` if the log does not end at `position`, `not_found` if it does not exist
   * and `position` is not 0
   */
  append(id: string, position: LogPosition, lines: Uint8Array): Promise<LogPosition>;
  /** @throws `not_found` */
  read(id: string): Promise<SessionLog>;
  /** All sessions, sorted by id. */
  list(): AsyncIterable<SessionListing>;
  /** Removes the log and what belongs to it. Resolves to whether there was one. */
  delete(id: string): Promise<boolean>;
  /**
   * Adds lines to the trace of a session, a record for people beside the log. Optional. Nothing
   * depends on it, so it need not be durable.
   */
  appendTrace?(id: string, lines: Uint8Array): Promise<void>;
}
