import { createHash } from "node:crypto";
import type { Random } from "../random.js";

/** Letters and digits that are not mistaken for each other. */
export const PLAIN_CHARACTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";
/** Digits and lower-case letters. */
export const LOWER_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Hexadecimal digits. */
export const HEX_CHARACTERS = "0123456789abcdef";

/** An id as providers make them: a prefix and some random characters. */
export function makeId(prefix: string, random: Random, length: number, characters: string): string {
  let id = prefix;
  for (let count = 0; count < length; count++) {
    id += characters.charAt(Math.floor(random() * characters.length));
  }
  return id;
}

/** The same for the same request and seed, else another: what makes answers deterministic. */
export function fingerprint(seed: number, body: Uint8Array): string {
  return createHash("sha256").update(`${seed}\n`).update(body).digest("hex");
}

/** Seconds since 1970 that stand in every answer: a real clock would make each one another. */
export const ANSWER_TIME_SECONDS = 1_767_225_600;
