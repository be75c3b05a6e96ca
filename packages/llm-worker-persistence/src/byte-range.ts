/** `[start, end)` cut to what a blob of `byteCount` bytes has; never reversed. */
export function clampRange(
  start: number,
  end: number,
  byteCount: number,
): { readonly start: number; readonly end: number } {
  const from = clamp(start, byteCount);
  return { start: from, end: Math.max(from, clamp(end, byteCount)) };
}

function clamp(position: number, byteCount: number): number {
  // NaN is no position: it counts as the beginning.
  return Math.min(Math.max(Math.trunc(position) || 0, 0), byteCount);
}
