import {
  ARRAY,
  COLON,
  COMMA,
  LINE_FEED,
  OBJECT,
  QUOTE,
  isCompleteNumber,
  isCutToken,
  isSpace,
  numberStep,
  skipDigits,
  skipLiteral,
  skipSpace,
  skipString,
} from "./json-bytes.js";
import type { JsonFailure, JsonScannerOptions, JsonVisitor } from "./json-visitor.js";
import { COUNTED_DEPTH, LargeContainers } from "./large-containers.js";

/** Deeper nesting than this is reported as `too_deep`. A level costs one byte while it is open. */
export const MAX_JSON_DEPTH = 1_000_000;

// What is expected next, in the order of a member.
const FIRST_KEY = 0;
const KEY = 1;
const KEY_STRING = 2;
const AFTER_KEY = 3;
const FIRST_ELEMENT = 4;
const VALUE = 5;
const STRING = 6;
const NUMBER = 7;
/** A value has ended, and was not reported. */
const ENDED = 8;
const AFTER_VALUE = 9;
const AFTER_ALL = 10;
const DONE = 11;

/** Copied at once. */
const SLICE_BYTES = 16_384;
/**
 * Scanned by one call: so little that a process goes on with the compiled function as soon as there is
 * one. In longer calls V8 replaces the running loop, and keeps to that, which has half the speed.
 */
const WINDOW_BYTES = 2048;

/**
 * Checks bytes against RFC 8259, as strictly as `JSON.parse` does (UTF-8 validity is left to the
 * caller), and reports where the parts of the outermost array or object are. Takes pieces cut
 * anywhere, keeps none of them, and does not recurse.
 */
export class JsonScanner {
  readonly #visitor: JsonVisitor;
  readonly #maxDepth: number;
  readonly #isLines: boolean;
  readonly #large: LargeContainers;
  /** A copy of what is being scanned, with room for a NUL behind it. */
  #slice = new Uint8Array();
  /** Bytes at the beginning of the slice that are to be looked at again with what follows them. */
  #heldBytes = 0;
  /** Offset of the first byte of the slice. */
  #base: number;
  #state = VALUE;
  #depth = 0;
  /** The opening byte of each open container; grows as needed. */
  #stack = new Uint8Array(64);
  #keyStart = 0;
  #valueStart = 0;
  #firstByte = 0;
  /** State of the number that is being read. */
  #number = 0;
  /** Of the container that ended last. */
  #partCount = 0;
  #failure: JsonFailure | undefined;

  constructor(visitor: JsonVisitor = {}, options: JsonScannerOptions = {}) {
    this.#visitor = visitor;
    this.#base = options.base ?? 0;
    this.#maxDepth = options.maxDepth ?? MAX_JSON_DEPTH;
    this.#isLines = options.values === "lines";
    this.#large = new LargeContainers(visitor.marks);
    if (options.at === undefined || options.at === "value") return;
    this.#depth = 1;
    this.#stack[1] = options.at === "element" ? ARRAY : OBJECT;
    if (options.at === "member") this.#state = KEY;
  }

  /** Why this is not JSON; `undefined` while it still may be. */
  get failure(): JsonFailure | undefined {
    return this.#failure;
  }

  /** Whether further pieces would be ignored: it has failed, or was stopped. */
  get done(): boolean {
    return this.#state === DONE;
  }

  /** Offset of the byte that is to be written next. */
  get position(): number {
    return this.#base + this.#heldBytes;
  }

  /** Where the key that is to be reported begins in which the last piece ended, if it did. */
  get openKeyStart(): number | undefined {
    const isReported = this.#depth === 1 || this.#large.isLarge(this.#depth);
    return this.#state === KEY_STRING && isReported ? this.#keyStart : undefined;
  }

  /** Where the element or the value of a member begins in which the last piece ended, if it did. */
  get openValueStart(): number | undefined {
    const isScalar = this.#state === STRING || this.#state === NUMBER;
    const isLiteral = this.#state <= VALUE && this.#heldBytes > 0;
    const isInScalar = this.#depth === 1 && this.#state !== KEY_STRING && (isScalar || isLiteral);
    return this.#depth > 1 || isInScalar ? this.#valueStart : undefined;
  }

  /** What the whole is, or has been found to be so far; `undefined` for a scalar and before it. */
  get rootType(): "array" | "object" | undefined {
    if (this.#stack[1] === 0) return undefined;
    return this.#stack[1] === ARRAY ? "array" : "object";
  }

  /** Takes the next piece. Costs nothing once `done`. */
  write(piece: Uint8Array): void {
    const end = this.position + piece.length;
    for (let from = 0; from < piece.length && !this.done; from += SLICE_BYTES) {
      this.#scanSlice(piece.subarray(from, from + SLICE_BYTES));
    }
    if (this.done) {
      this.#base = end;
      this.#heldBytes = 0;
    }
  }

  /** Ends the input. `true` if all of it was what it was to be. */
  end(): boolean {
    const isNumber = this.#state === NUMBER && isCompleteNumber[this.#number] === 1;
    if (isNumber && this.#depth === 0) {
      this.#state = AFTER_ALL;
      this.#visitor.onValue?.(this.#valueStart, this.#base, this.#firstByte, 0);
    }
    const isLineStart = this.#isLines && this.#state === VALUE && this.#depth === 0;
    return this.#state === AFTER_ALL || (isLineStart && this.#heldBytes === 0);
  }

  /** Ignores all that follows. For visitors that have seen enough. */
  stop(): void {
    this.#state = DONE;
  }

  /**
   * Leaves the value that begins at {@link openValueStart}, which is known to end at `end`, and
   * reports it. What is written next begins at `end`.
   */
  skipValue(end: number): void {
    this.#depth = 1;
    this.#base = end;
    this.#heldBytes = 0;
    this.#state = AFTER_VALUE;
    this.#visitor.onValue?.(this.#valueStart, end, this.#firstByte, 0);
  }

  #scanSlice(slice: Uint8Array): void {
    const length = this.#heldBytes + slice.length;
    if (this.#slice.length <= length) {
      const held = this.#slice.subarray(0, this.#heldBytes);
      this.#slice = new Uint8Array(length + 1);
      this.#slice.set(held);
    }
    const bytes = this.#slice;
    bytes.set(slice, this.#heldBytes);
    this.#large.beginSlice(this.#base);
    let at = 0;
    for (let end = 0; end < length && !this.done;) {
      end = Math.min(end + WINDOW_BYTES, length);
      const next = bytes[end] as number; // there is room for one byte more
      bytes[end] = 0;
      at = this.#scan(at, end);
      bytes[end] = next;
    }
    this.#large.endSlice(this.#depth, at);
    bytes.copyWithin(0, at, length);
    this.#heldBytes = length - at;
    this.#base += at;
  }

  /**
   * Scans the slice from `from` to `end`; the result is how far it has come, all but a part of a token.
   * At `end` is a NUL, which is expected nowhere: a look at the next byte needs no check whether
   * there is one.
   *
   * One function, with its state in locals: in methods and fields it ran at two thirds of the
   * speed. A part is read from the top to the bottom. What is seldom is at the end and has its
   * operations in common: one that runs for the first time undoes what was compiled.
   */
  #scan(from: number, end: number): number {
    const bytes = this.#slice;
    const base = this.#base;
    const large = this.#large;
    const { outerCommas, starts } = large;
    let state = this.#state;
    let depth = this.#depth;
    let stack = this.#stack;
    let container = stack[depth] as number; // the stack is longer than it is deep
    let keyAt = this.#keyStart - base;
    let number = this.#number;
    let commas = large.commas;
    let partCount = this.#partCount;
    // A comma or an end from there on is looked at.
    let lookAt = large.lookAt;
    let watched = large.watched;
    let at = from | 0;
    for (;;) {
      expected: {
        if (state <= KEY) {
          if (bytes[at] !== QUOTE) break expected;
          keyAt = at++;
          state = KEY_STRING;
        }
        if (state === KEY_STRING) {
          at = skipString(bytes, at);
          if (bytes[at] !== QUOTE) break expected;
          at++;
          state = AFTER_KEY;
          if (depth === 1) {
            this.#visitor.onKey?.(base + keyAt, base + at);
            if (this.done) return at;
          } else if (((watched >>> depth) & 1) === 1 && large.isLarge(depth)) {
            this.#visitor.onNestedKey?.(depth, base + keyAt, base + at);
          }
        }
        if (state === AFTER_KEY) {
          if (bytes[at] !== COLON) break expected;
          at++;
          state = VALUE;
        }
        if (state <= VALUE) {
          const byte = bytes[at] as number; // there is a NUL behind
          if (depth <= 1) {
            this.#valueStart = base + at;
            this.#firstByte = byte;
            if (depth === 0 && this.#isLines) {
              if (byte !== OBJECT && byte !== ARRAY) break expected;
              this.#visitor.onLine?.(base + at);
            }
          }
          if (byte === QUOTE) {
            at++;
            state = STRING;
          } else if (byte === OBJECT || byte === ARRAY) {
            if (depth === this.#maxDepth) return this.#fail("too_deep");
            if (++depth === stack.length) stack = this.#growStack();
            stack[depth] = container = byte;
            if (depth <= COUNTED_DEPTH) {
              outerCommas[depth] = commas;
              starts[depth] = at;
              commas = 0;
            }
            at++;
            state = byte === OBJECT ? FIRST_KEY : FIRST_ELEMENT;
            continue;
          } else if (numberStep[byte] !== 0) {
            number = 0;
            state = NUMBER;
          } else {
            const behind = skipLiteral(bytes, at);
            if (behind === at) break expected;
            at = behind;
            state = ENDED;
          }
        }
        if (state === STRING) {
          at = skipString(bytes, at);
          if (bytes[at] !== QUOTE) break expected;
          at++;
        } else if (state === NUMBER) {
          for (;;) {
            const next = numberStep[number * 256 + (bytes[at] as number)] as number; // every state has 256 columns
            if (next === 0) break;
            at = next === number ? skipDigits(bytes, at + 1) : at + 1;
            number = next;
          }
          if (at === end || isCompleteNumber[number] === 0) break expected;
        }
        if (state !== AFTER_VALUE) {
          if (depth <= 1) {
            if (state === AFTER_ALL) break expected;
            // At depth 0 only a scalar is reported: an array or object was, by its parts.
            if (depth === 1 || stack[1] === 0) {
              this.#visitor.onValue?.(this.#valueStart, base + at, this.#firstByte, partCount);
              if (this.done) return at;
            }
            if (depth === 0) {
              state = AFTER_ALL;
              break expected;
            }
          }
          state = AFTER_VALUE;
        }
        const byte = bytes[at];
        if (byte === COMMA) {
          at++;
          commas++;
          if (at >= lookAt) {
            lookAt = large.comma(depth, stack, at, commas);
            watched = large.watched;
          }
          state = container === ARRAY ? VALUE : KEY;
          continue;
        }
        if (byte !== container + 2) break expected;
        at++;
        if (depth <= COUNTED_DEPTH) {
          partCount = commas + 1;
          if (at >= lookAt || ((watched >>> depth) & 1) === 1) {
            lookAt = large.end(depth, stack, at, partCount);
            watched = large.watched;
          }
          commas = outerCommas[depth] as number; // as long as depths are counted
        }
        container = stack[--depth] as number;
        state = ENDED;
        continue;
      }
      if (at === end) break;
      const byte = bytes[at] as number; // before the end
      if (this.#isLines && byte === LINE_FEED) {
        if (depth > 0) return this.#fail("syntax");
        state = VALUE;
        at++;
      } else if (isSpace[byte] === 1 && mayHaveSpace(state)) {
        at = this.#isLines ? at + 1 : skipSpace(bytes, at + 1);
      } else if (byte === container + 2 && (state === FIRST_KEY || state === FIRST_ELEMENT)) {
        commas = -1;
        state = AFTER_VALUE;
      } else if (state <= STRING && isCutToken(bytes, at, end)) {
        break;
      } else {
        return this.#fail("syntax");
      }
    }
    this.#state = state;
    this.#depth = depth;
    this.#keyStart = base + keyAt;
    this.#number = number;
    this.#partCount = partCount;
    large.commas = commas;
    return at;
  }

  #growStack(): Uint8Array<ArrayBuffer> {
    const stack = new Uint8Array(this.#stack.length * 2);
    stack.set(this.#stack);
    this.#stack = stack;
    return stack;
  }

  #fail(failure: JsonFailure): number {
    this.#failure = failure;
    this.#state = DONE;
    return 0;
  }
}

function mayHaveSpace(state: number): boolean {
  return state !== KEY_STRING && state !== STRING && state !== NUMBER;
}
