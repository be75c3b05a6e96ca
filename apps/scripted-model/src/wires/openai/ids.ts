import type { Random } from "../../random.js";
import { makeId, PLAIN_CHARACTERS } from "../ids.js";

/** The id of a call, as both APIs make them. */
export function makeCallId(random: Random): string {
  return makeId("call_", random, 24, PLAIN_CHARACTERS);
}

/** What deltas carry so that their length on the wire does not tell the length of their text. */
export function makePadding(random: Random): string {
  return makeId("", random, Math.floor(random() * 16), PLAIN_CHARACTERS);
}
