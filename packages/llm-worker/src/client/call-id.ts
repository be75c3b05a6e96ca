import { createHash } from "node:crypto";

/**
 * A call id as one wire takes it: the id itself if it fits, else one made from its hash. The same
 * id gives the same result, so call and result still match, and different ids stay different.
 */
export function wireCallId(callId: string, allowed: RegExp): string {
  if (allowed.test(callId)) return callId;
  return `call_${createHash("sha256").update(callId).digest("hex").slice(0, HASH_CHARS)}`;
}

/** With `call_` 37 characters: the narrowest wire takes 40. */
const HASH_CHARS = 32;
