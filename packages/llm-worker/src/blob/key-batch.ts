import type { JsonMachine } from "./json-machine.js";
import {
  HIGHEST_KEY_AT,
  KEY_COUNT_AT,
  KEY_LENGTHS_AT,
  KEY_TEXT_BYTES,
  LONGEST_KEY_AT,
  LOWEST_KEY_AT,
  SHORTEST_KEY_AT,
} from "./scan-memory.js";

/** A key, of which only the beginning is known if it is long. */
export interface KeyBeginning {
  readonly text: string;
  /** Of the whole key. In UTF-16 units. */
  readonly length: number;
}

/** What is known of some keys, all written without escapes. */
export interface KeyBatch {
  readonly count: number;
  /** The first and the last in the order of texts. */
  readonly lowest: KeyBeginning;
  readonly highest: KeyBeginning;
  /** The same where shorter keys come first. */
  readonly shortest: KeyBeginning;
  readonly longest: KeyBeginning;
  /** Which lengths they have: a bit for each, modulo 32. */
  readonly lengths: number;
  /** Of the first keys, as many as there is room for. To be copied: they are overwritten. */
  readonly hashes: Uint32Array;
}

/** The keys that the machine has collected; it begins anew. */
export function takeKeys({ buffer, i32, keyHashes }: JsonMachine): KeyBatch {
  const field = (at: number): number => i32[at >> 2] as number; // within the memory
  const key = (at: number): KeyBeginning => {
    const length = field(at + KEY_TEXT_BYTES);
    const end = at + Math.min(length, KEY_TEXT_BYTES);
    return { text: buffer.toString("latin1", at, end), length };
  };
  const count = field(KEY_COUNT_AT);
  i32[KEY_COUNT_AT >> 2] = 0;
  const lowest = key(LOWEST_KEY_AT);
  const highest = key(HIGHEST_KEY_AT);
  // To make a text takes longer than all else here.
  const haveOneLength =
    field(SHORTEST_KEY_AT + KEY_TEXT_BYTES) === field(LONGEST_KEY_AT + KEY_TEXT_BYTES);
  return {
    count,
    lowest,
    highest,
    shortest: haveOneLength ? lowest : key(SHORTEST_KEY_AT),
    longest: haveOneLength ? highest : key(LONGEST_KEY_AT),
    lengths: field(KEY_LENGTHS_AT),
    hashes: keyHashes,
  };
}
