import type { KeyBatch } from "./key-batch.js";

/** Gets the places of the parts of the outermost array or object, as byte offsets. */
export interface JsonVisitor {
  /**
   * A key, quotes included, whose value follows: of the outermost object, or of one whose keys are
   * collected if this one cannot be.
   * @param isCollected whether it gets into a batch; see {@link MarkVisitor}
   */
  onKey?(depth: number, start: number, end: number, isCollected: boolean): void;
  /**
   * An element of the outermost array, a value of the outermost object, or the whole if it is
   * neither. `firstByte` is the byte at `start`, for `jsonTypeOf`. `partCount` is how many parts it
   * has, if it is an array or object that was not left out.
   */
  onValue?(start: number, end: number, firstByte: number, partCount: number): void;
  /**
   * Members of the outermost object, a few at a time. Both are to be copied: they are overwritten.
   * @param keys those that have come, as they are written, each with a comma behind it; the last may lack its end
   * @param places where values begin and end: of those that have ended
   */
  onMembers?(keys: Uint8Array, places: Float64Array): void;
  readonly marks?: MarkVisitor | undefined;
  /** An array or object on a line of its own begins. */
  onLine?(start: number): void;
}

/** Gets places inside of large arrays and objects, nested ones included, to find their parts by. */
export interface MarkVisitor {
  /**
   * After so many bytes, at a comma or an end, the scanner looks what has been open for as long, and
   * marks the next comma of each. So what a value of twice as many bytes lies in is known to be
   * large, and the comma after that value is marked.
   */
  readonly spacing: number;
  /**
   * The part `number` (0-based) of an array or object begins at `offset`, right after a comma.
   * @param depth 1: the outermost
   * @param start its opening bracket
   */
  onMark(depth: number, type: JsonContainer, start: number, offset: number, number: number): void;
  /** A large array or object ends. It has `count` parts. */
  onEnd(depth: number, type: JsonContainer, start: number, end: number, count: number): void;
  /** Whether keys of the object at this depth are collected: asked after each mark, of the outermost before all. */
  wantsKeys(depth: number): boolean;
  /**
   * What is known of keys, most of those that stand for themselves in ASCII. It comes when the object or the
   * piece ends, or when it is asked for at a mark.
   */
  onKeys(depth: number, keys: KeyBatch): void;
}

/** The types that have parts. */
export type JsonContainer = "array" | "object";

/** Where a scan begins, how deep it may go, and where it ends. */
export interface JsonScannerOptions {
  /** Offset of the first byte that will be written. Default 0. */
  readonly base?: number | undefined;
  /**
   * `value` (default): before one JSON value. `element`: before an element inside an array, so
   * that a scan can begin in the middle of one; it ends with that array. `member`: the same for a
   * key inside an object.
   */
  readonly at?: "value" | "element" | "member" | undefined;
  /** Default: `MAX_JSON_DEPTH`. */
  readonly maxDepth?: number | undefined;
  /**
   * `lines`: each line that is not blank is one array or object. `container`: the whole is one. Default:
   * the whole is one value of any type.
   */
  readonly values?: "one" | "container" | "lines" | undefined;
}

/** Why bytes are not taken as JSON. */
export type JsonFailure = "syntax" | "too_deep";
