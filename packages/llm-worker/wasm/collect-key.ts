/** What is known of the keys of an object, as `src/blob/key-batch.ts` reads it. */
import {
  CURRENT_KEY_AT,
  HIGHEST_KEY_AT,
  KEY_COUNT_AT,
  KEY_DEPTH_AT,
  KEY_HASHES_AT,
  KEY_LENGTHS_AT,
  KEY_TEXT_BYTES,
  LONGEST_KEY_AT,
  LOWEST_KEY_AT,
  MAX_COLLECTED_BYTES,
  MAX_KEY_HASHES,
  SHORTEST_KEY_AT,
} from "../src/blob/scan-memory";
import { BACKSLASH, LANES, byteAt } from "./bytes";

/**
 * Whether a key is now among those that have been collected: one that stands for itself in ASCII. All are of
 * one object: between keys of two there is a mark, at which those of the first are read.
 */
export function collectKey(depth: i32, from: usize, to: usize): bool {
  const length = i32(to - from);
  if (length > MAX_COLLECTED_BYTES) return false;
  // FNV-1a, with the bits mixed as murmur3 does at its end: `hashOf` of `key-search.ts`.
  let hash: u32 = 0x811c9dc5;
  for (let at = from; at < to; at++) {
    const byte = byteAt(at);
    if (byte === BACKSLASH || byte >= 0x80) return false;
    hash = (hash ^ byte) * 0x01000193;
  }
  const count = load<i32>(KEY_COUNT_AT);
  if (count < MAX_KEY_HASHES) {
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    store<u32>(KEY_HASHES_AT + (count << 2), hash ^ (hash >>> 16));
  }
  setCurrentKey(from, length);
  if (count === 0) {
    store<i32>(KEY_DEPTH_AT, depth);
    store<i32>(KEY_LENGTHS_AT, 0);
    keepCurrentKey(LOWEST_KEY_AT);
    keepCurrentKey(HIGHEST_KEY_AT);
    keepCurrentKey(SHORTEST_KEY_AT);
    keepCurrentKey(LONGEST_KEY_AT);
  } else {
    if (currentKeyBeside(LOWEST_KEY_AT) < 0) keepCurrentKey(LOWEST_KEY_AT);
    else if (currentKeyBeside(HIGHEST_KEY_AT) > 0) keepCurrentKey(HIGHEST_KEY_AT);
    if (currentLengthBeside(SHORTEST_KEY_AT) < 0) keepCurrentKey(SHORTEST_KEY_AT);
    else if (currentLengthBeside(LONGEST_KEY_AT) > 0) keepCurrentKey(LONGEST_KEY_AT);
  }
  store<i32>(KEY_LENGTHS_AT, load<i32>(KEY_LENGTHS_AT) | (1 << length));
  store<i32>(KEY_COUNT_AT, count + 1);
  return true;
}

/** Copies the beginning of a key, with zeros behind it. */
function setCurrentKey(from: usize, length: i32): void {
  const kept = length < KEY_TEXT_BYTES ? length : KEY_TEXT_BYTES;
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (let at = 0; at < KEY_TEXT_BYTES; at += i32(LANES)) {
    const isKept = i8x16.lt_s(places, i8x16.splat(i8(kept - at)));
    v128.store(CURRENT_KEY_AT + at, v128.and(v128.load(from + at), isKept));
  }
  store<i32>(CURRENT_KEY_AT + KEY_TEXT_BYTES, length);
}

function keepCurrentKey(target: usize): void {
  for (let at = 0; at <= KEY_TEXT_BYTES; at += i32(LANES)) {
    v128.store(target + at, v128.load(CURRENT_KEY_AT + at));
  }
}

/** Less than 0 if the current key comes before another by its text, more if behind it. */
function currentKeyBeside(other: usize): i32 {
  for (let at = 0; at < KEY_TEXT_BYTES; at += i32(LANES)) {
    const isOther = i8x16.ne(v128.load(CURRENT_KEY_AT + at), v128.load(other + at));
    const differs = i8x16.bitmask(isOther);
    if (differs !== 0) {
      const place = at + ctz(differs);
      return byteAt(CURRENT_KEY_AT + place) - byteAt(other + place);
    }
  }
  return 0;
}

/** The same by length, and by text where that is the same. */
function currentLengthBeside(other: usize): i32 {
  const by = load<i32>(CURRENT_KEY_AT + KEY_TEXT_BYTES) - load<i32>(other + KEY_TEXT_BYTES);
  return by !== 0 ? by : currentKeyBeside(other);
}
