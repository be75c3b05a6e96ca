/** Writes a selector step with a text, quoted as JSON unless it is plainly harmless. */
function withText(verb: "key" | "find", text: string): string {
  return /^[\p{L}\p{N}\p{M}_.-]+$/u.test(text)
    ? `${verb}:${text}`
    : `${verb}:${JSON.stringify(text)}`;
}

/** One own key of an object. */
export function keySelector(name: string): string {
  return withText("key", name);
}

/** A literal text. */
export function findSelector(text: string): string {
  return withText("find", text);
}

/** 1-based and inclusive. */
export function linesSelector(first: number, last: number): string {
  return `lines:${first}-${last}`;
}

/** 0-based and half-open. */
export function sliceSelector(start: number, end: number): string {
  return `slice:${start}..${end}`;
}

/** 0-based and half-open. */
export function bytesSelector(start: number, end: number): string {
  return `bytes:${start}-${end}`;
}

/** Steps one after the other; an empty one is left out. */
export function chain(...steps: readonly string[]): string {
  return steps.filter((step) => step !== "").join(" | ");
}
