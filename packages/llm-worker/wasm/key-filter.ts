/** Bloom filters of keys, as `src/blob/key-search.ts` looks into them. */
import { FILTER_AT, FILTER_BYTES, FILTER_HASHES_AT } from "../src/blob/scan-memory";
import { byteAt } from "./bytes";

const FILTER_BITS: u32 = FILTER_BYTES * 8;

/** Makes the filter of so many hashes: `hashCount` bits for each, two halves of it added up. */
export function fillFilter(keyCount: i32, hashCount: i32): void {
  for (let at = 0; at < FILTER_BYTES; at += 8) store<u64>(FILTER_AT + at, 0);
  for (let position = 0; position < keyCount; position++) {
    const hash = load<u32>(FILTER_HASHES_AT + (position << 2));
    const step = ((hash >>> 16) | 1) % FILTER_BITS;
    let bit = hash % FILTER_BITS;
    for (let turn = 0; turn < hashCount; turn++) {
      const at: usize = FILTER_AT + (bit >>> 3);
      store<u8>(at, byteAt(at) | (1 << (bit & 7)));
      // The remainder without a branch, which would be mispredicted as often as not.
      const next = bit + step;
      bit = select(next - FILTER_BITS, next, next >= FILTER_BITS);
    }
  }
}
