export const BACKSLASH = 0x5c;

/** So many bytes are looked at at once. */
export const LANES: usize = 16;

export function byteAt(at: usize): i32 {
  return i32(load<u8>(at));
}
