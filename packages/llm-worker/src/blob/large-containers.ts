import { ARRAY } from "./json-bytes.js";
import type { JsonContainer, MarkVisitor } from "./json-visitor.js";

/** What is nested deeper gets no marks. */
const MAX_MARKED_DEPTH = 8;
/** Commas are counted one level deeper, so that they are not taken for those around it. */
export const COUNTED_DEPTH: number = MAX_MARKED_DEPTH + 1;
/** A place that no piece has: a small integer, as all places are, for the speed of the scan. */
export const NOWHERE: number = 0x3fff_ffff;

/**
 * Finds out which of the arrays and objects that a scan is in are large, without work for the small
 * ones: every so many bytes it looks what is open, and then reports their commas and ends. Places
 * are relative to the piece that is being scanned.
 */
export class LargeContainers {
  /** By depth: commas of what is around the container that is open there, and where it begins. */
  readonly outerCommas: Int32Array = new Int32Array(COUNTED_DEPTH + 1);
  readonly starts: Float64Array = new Float64Array(COUNTED_DEPTH + 1);
  /** Commas of the innermost container when the last piece ended. */
  commas = 0;
  readonly #visitor: MarkVisitor | undefined;
  readonly #spacing: number;
  /** Bit `depth`: the container that is open there is large; its next comma is to be reported. */
  #large = 0;
  #unmarked = 0;
  #base = 0;
  #nextLook: number;
  /** The next comma may be the one that what has just become the innermost container waits for. */
  #isCommaAwaited = false;

  constructor(visitor: MarkVisitor | undefined) {
    this.#visitor = visitor;
    // Not Infinity: a field that is not always a small integer is read more slowly, in all scans.
    this.#spacing = visitor?.spacing ?? NOWHERE;
    this.#nextLook = this.#spacing;
  }

  /** Bit `depth`: the end of the container that is open there has to be told. */
  get watched(): number {
    return this.#large | (this.#unmarked << 1);
  }

  isLarge(depth: number): boolean {
    return depth <= MAX_MARKED_DEPTH && ((this.#large >>> depth) & 1) === 1;
  }

  /** Where the scan has to look next. */
  get lookAt(): number {
    if (this.#isCommaAwaited) return 0;
    return Math.min(NOWHERE, this.#nextLook - this.#base) | 0;
  }

  beginSlice(base: number): void {
    this.#base = base;
  }

  /**
   * The result, as of `end`, is where the scan has to look next.
   *
   * @param at the byte after the comma that is the `number`-th (from 1) of its container
   */
  comma(depth: number, stack: Uint8Array, at: number, number: number): number {
    this.#look(depth, at);
    this.#isCommaAwaited = false;
    if (depth <= MAX_MARKED_DEPTH && ((this.#unmarked >>> depth) & 1) === 1) {
      const start = this.#base + (this.starts[depth] as number); // within
      this.#visitor?.onMark(depth, typeOf(stack[depth]), start, this.#base + at, number);
      this.#unmarked &= ~(1 << depth);
    }
    return this.lookAt;
  }

  /** @param at the byte after the bracket that ends a container of `count` parts */
  end(depth: number, stack: Uint8Array, at: number, count: number): number {
    this.#look(depth, at);
    if (this.isLarge(depth)) {
      const start = this.#base + (this.starts[depth] as number); // within
      this.#visitor?.onEnd(depth, typeOf(stack[depth]), start, this.#base + at, count);
      this.#large &= ~(1 << depth);
      this.#unmarked &= this.#large;
    }
    this.#isCommaAwaited = ((this.#unmarked >>> (depth - 1)) & 1) === 1;
    return this.lookAt;
  }

  endSlice(depth: number, length: number): void {
    for (let open = Math.min(depth, COUNTED_DEPTH); open > 0; open--) {
      this.starts[open] = (this.starts[open] as number) - length; // within
    }
  }

  #look(depth: number, at: number): void {
    if (this.#base + at < this.#nextLook) return;
    const spacing = this.#spacing;
    this.#nextLook = this.#base + at + spacing;
    let deepest = Math.min(depth, MAX_MARKED_DEPTH);
    while (deepest > 0 && at - (this.starts[deepest] as number) < spacing) deepest--;
    this.#large = this.#unmarked = (2 << deepest) - 2;
  }
}

function typeOf(container: number | undefined): JsonContainer {
  return container === ARRAY ? "array" : "object";
}
