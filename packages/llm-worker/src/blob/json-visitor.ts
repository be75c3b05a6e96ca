/** Gets the places of the parts of the outermost array or object, as byte offsets. */
export interface JsonVisitor {
  /** A key of the outermost object, quotes included. Its value follows. */
  onKey?(start: number, end: number): void;
  /**
   * An element of the outermost array, a value of the outermost object, or the whole if it is
   * neither. `firstByte` is the byte at `start`, for `jsonTypeOf`.
   */
  onValue?(start: number, end: number, firstByte: number): void;
}

/** Where a scan begins, and how deep it may go. */
export interface JsonScannerOptions {
  /** Offset of the first byte that will be written. Default 0. */
  readonly base?: number | undefined;
  /**
   * `value` (default): before one JSON value. `element`: before an element inside an array, so
   * that a scan can begin in the middle of one; it ends with that array.
   */
  readonly at?: "value" | "element" | undefined;
  /** Default: `MAX_JSON_DEPTH`. */
  readonly maxDepth?: number | undefined;
}

/** Why bytes are not taken as JSON. */
export type JsonFailure = "syntax" | "too_deep";
