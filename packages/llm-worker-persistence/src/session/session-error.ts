import { PersistenceError } from "../blob-store-error.js";

/**
 * - `not_found`: there is no session of that id.
 * - `session_conflict`: somebody else has appended to the session since it was read.
 * - `corrupt`: an entry is damaged, missing or repeated.
 * - `unsupported_version`: an entry was written by a later version.
 * - `invalid_id`, `forbidden`, `no_space`, `unavailable`: as for blobs.
 * - `closed`: the session was used after its end.
 */
export type SessionErrorCode =
  | "not_found"
  | "session_conflict"
  | "corrupt"
  | "unsupported_version"
  | "invalid_id"
  | "forbidden"
  | "no_space"
  | "unavailable"
  | "closed";

/** What a {@link SessionError} knows beside its message. */
export interface SessionErrorOptions extends ErrorOptions {
  readonly sessionId?: string | undefined;
  /** Line of the log, from 1, with `corrupt` and `unsupported_version`. */
  readonly lineNumber?: number | undefined;
}

/** A session could not be read or continued. The message holds nothing of its content. */
export class SessionError extends PersistenceError {
  readonly code: SessionErrorCode;
  readonly sessionId: string | undefined;
  readonly lineNumber: number | undefined;

  constructor(code: SessionErrorCode, message: string, options: SessionErrorOptions = {}) {
    const { sessionId, lineNumber, ...errorOptions } = options;
    super(message, errorOptions);
    this.code = code;
    this.sessionId = sessionId;
    this.lineNumber = lineNumber;
  }
}

/** The error for a session that is not there. */
export function sessionNotFound(sessionId: string): SessionError {
  return new SessionError(
    "not_found",
    `session ${sessionId} is not in this store: it was deleted, or kept elsewhere; check the store's location`,
    { sessionId },
  );
}

/** The error for an append behind a place that is not, or no longer, the end of the log. */
export function sessionConflict(sessionId: string, position: number): SessionError {
  const message =
    position === 0
      ? `there is a session ${sessionId} already: open it, or choose another id`
      : `session ${sessionId} was continued by somebody else: open it again to see how, or fork it to go your own way`;
  return new SessionError("session_conflict", message, { sessionId });
}
