import { sha256Hex } from "../sha256.js";

/**
 * A call id as one wire takes it: the id itself if it fits, else one made from its hash. The same
 * id gives the same result, so call and result still match, and different ids stay different.
 */
export function wireCallId(callId: string, allowed: RegExp): string {
  if (allowed.test(callId)) return callId;
  return `call_${hashOf(callId)}`;
}

/**
 * An id for a call to which the server gave none, made from facts that tell it apart from others.
 * The same facts give the same id, so that the same bytes always decode to the same events.
 */
export function generatedCallId(...facts: readonly string[]): string {
  return `call_${hashOf(JSON.stringify(facts))}`;
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, HASH_CHARS);
}

/** With `call_` 37 characters: the narrowest wire takes 40. */
const HASH_CHARS = 32;
