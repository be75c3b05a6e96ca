/** Looks at each byte once, as plain JavaScript can. @returns how many are this one */
export function countBytes(bytes: Uint8Array, wanted: number): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === wanted) count += 1;
  return count;
}
