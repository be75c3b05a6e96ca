/** Which part of an object an answer holds: `[start, end)` of `totalBytes`. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
  readonly totalBytes: number;
}

/** Reads a `Content-Range` header (`bytes 0-99/1000`); `undefined` if it is none. */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? "");
  if (!match) return undefined;
  const [start, last, totalBytes] = match.slice(1).map(Number);
  if (start === undefined || last === undefined || totalBytes === undefined) return undefined;
  return start <= last && last < totalBytes ? { start, end: last + 1, totalBytes } : undefined;
}

/** The `Range` header for `[start, end)`, which must not be empty. */
export function formatRange(start: number, end: number): string {
  return `bytes=${start}-${end - 1}`;
}
