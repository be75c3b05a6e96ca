import { BlobStoreError } from "../blob-store-error.js";
import { errnoOf } from "../fs-error.js";
import { SessionError } from "./session-error.js";

/** What the file system threw while a session was read or written, as a `SessionError`. */
export function toSessionError(thrown: unknown, sessionId: string | undefined): SessionError {
  if (thrown instanceof SessionError) return thrown;
  const options = { sessionId, cause: thrown };
  if (thrown instanceof BlobStoreError && thrown.code === "forbidden") {
    return new SessionError("forbidden", thrown.message, options);
  }
  const errno = errnoOf(thrown);
  const what =
    sessionId === undefined ? "the sessions' files" : `the files of session ${sessionId}`;
  switch (errno) {
    case "ENOSPC":
    case "EDQUOT":
      return new SessionError(
        "no_space",
        "nothing was appended to the session, no space is left: free some, and go on",
        options,
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ERR_ACCESS_DENIED":
    case "ELOOP":
    case "EMLINK":
      return new SessionError(
        "forbidden",
        `${what} could not be used, access is denied (${errno}): ` +
          "give this process the right to the directory, on a file system that has hard links",
        options,
      );
    default:
      return new SessionError(
        "unavailable",
        `${what} could not be used (${errno ?? "unexpected error"}): see the cause, and try again`,
        options,
      );
  }
}
