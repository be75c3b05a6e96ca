import { BlobStoreError } from "../blob-store-error.js";
import { SessionError } from "../session/session-error.js";
import { toBlobStoreError } from "./s3-error.js";

/** What went wrong with S3 while a session was read or written, as a `SessionError` where it is one. */
export function toS3SessionError(
  thrown: unknown,
  bucket: string,
  sessionId: string | undefined,
): unknown {
  const what =
    sessionId === undefined
      ? "the sessions could not be listed"
      : `session ${sessionId} could not be read or continued`;
  const error = toBlobStoreError(thrown, { what, bucket });
  if (!(error instanceof BlobStoreError)) return error;
  return new SessionError(error.code, error.message, { sessionId, cause: thrown });
}

/** The error for a log with a gap. */
export function appendMissing(sessionId: string, place: number): SessionError {
  return new SessionError(
    "corrupt",
    `session ${sessionId} is damaged: append ${place} is missing, though later ones are there; ` +
      "restore its object from a backup, or go on before it with Session.fork",
    { sessionId },
  );
}

/** The error for what is left of a session that was not deleted as a whole. */
export function deletedInPart(sessionId: string): SessionError {
  return new SessionError(
    "session_conflict",
    `session ${sessionId} was deleted in part: delete it again, or choose another id`,
    { sessionId },
  );
}

/** The error for a server that cannot keep two writers apart. */
export function noConditionalWrites(sessionId: string): SessionError {
  return new SessionError(
    "unavailable",
    "this server writes over objects although it is told not to (If-None-Match), so that it cannot keep " +
      "two writers of a session apart: keep sessions on a server that has conditional writes",
    { sessionId },
  );
}

/** The error for a log that always changes while it is looked at. */
export function neverAtRest(sessionId: string): SessionError {
  return new SessionError(
    "unavailable",
    `session ${sessionId} was changed by others again and again while it was read: try again`,
    { sessionId },
  );
}
