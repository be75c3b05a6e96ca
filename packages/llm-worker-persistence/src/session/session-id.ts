import { v7 } from "uuid";
import { SessionError } from "./session-error.js";

/** Safe as a file name and as part of a key, whatever the system. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** A new id: UUID v7 in lower case. Ids made by one process sort in the order they were made. */
export function createSessionId(): string {
  return v7();
}

/** Whether `id` may name a session. */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && SESSION_ID.test(id);
}

/** Refuses what may not name a session. @throws SessionError `invalid_id`; its message does not repeat the id */
export function assertSessionId(id: unknown): asserts id is string {
  if (isSessionId(id)) return;
  throw new SessionError(
    "invalid_id",
    "this is not a session id: use 1 to 128 letters, digits, - and _, beginning with a letter or digit",
  );
}
