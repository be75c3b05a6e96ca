import {
  ARRAY,
  BACKSLASH,
  COLON,
  COMMA,
  OBJECT,
  QUOTE,
  isCompleteNumber,
  isEscapable,
  isHexDigit,
  isSpace,
  literalOf,
  numberStep,
  skipDigits,
  skipPlain,
  skipSpace,
} from "./json-bytes.js";
import type { JsonFailure, JsonScannerOptions, JsonVisitor } from "./json-visitor.js";
import { COUNTED_DEPTH, LargeContainers, NOWHERE } from "./large-containers.js";

/** Deeper nesting than this is reported as `too_deep`. A level costs one byte while it is open. */
export const MAX_JSON_DEPTH = 1_000_000;

// What is expected next. Up to AFTER_ALL white space may come first.
const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_KEY = 2;
const KEY = 3;
const AFTER_KEY = 4;
const AFTER_VALUE = 5;
const AFTER_ALL = 6;
const STRING = 7;
const ESCAPE = 8;
const HEX_DIGIT = 9;
const LITERAL = 10;
const NUMBER = 11;
const DONE = 12;

const noContainers = { outerCommas: new Int32Array(), starts: new Float64Array() };

/**
 * Checks bytes against RFC 8259, as strictly as `JSON.parse` does (UTF-8 validity is left to the
 * caller), and reports where the parts of the outermost array or object are. Takes pieces cut
 * anywhere, keeps none of them, and does not recurse.
 */
export class JsonScanner {
  readonly #visitor: JsonVisitor;
  readonly #maxDepth: number;
  /** Offset of the first byte of the current piece. */
  #base: number;
  #state = VALUE;
  #depth = 0;
  /** The opening byte of each open container; grows as needed. */
  #stack = new Uint8Array(64);
  #inKey = false;
  #keyStart = 0;
  #valueStart = 0;
  #firstByte = 0;
  #literal = "";
  /** Bytes seen of a literal, hex digits seen of an escape, or the state of a number. */
  #progress = 0;
  #failure: JsonFailure | undefined;
  readonly #large: LargeContainers | undefined;

  constructor(visitor: JsonVisitor = {}, options: JsonScannerOptions = {}) {
    this.#visitor = visitor;
    this.#base = options.base ?? 0;
    this.#maxDepth = options.maxDepth ?? MAX_JSON_DEPTH;
    if (visitor.marks !== undefined) this.#large = new LargeContainers(visitor.marks);
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
    return this.#base;
  }

  /** Where the key that is to be reported begins in which the last piece ended, if it did. */
  get openKeyStart(): number | undefined {
    const isReported = this.#depth === 1 || this.#large?.isLarge(this.#depth) === true;
    return this.#inKey && isReported ? this.#keyStart : undefined;
  }

  /** Where the element or the value of a member begins in which the last piece ended, if it did. */
  get openValueStart(): number | undefined {
    const isScalar = this.#depth === 1 && this.#state > AFTER_ALL && !this.#inKey;
    return this.#depth > 1 || isScalar ? this.#valueStart : undefined;
  }

  /** What the whole is, or has been found to be so far; `undefined` for a scalar and before it. */
  get rootType(): "array" | "object" | undefined {
    if (this.#stack[1] === 0) return undefined;
    return this.#stack[1] === ARRAY ? "array" : "object";
  }

  /** Takes the next piece. Costs nothing once `done`. */
  write(piece: Uint8Array): void {
    if (!this.done) this.#scan(piece);
    this.#base += piece.length;
  }

  /** Begins anew, before one JSON value. For scanners without marks. */
  restart(): void {
    this.#state = VALUE;
    this.#depth = 0;
    this.#stack[1] = 0;
    this.#failure = undefined;
  }

  /** Ends the input. `true` if all of it was exactly one JSON value. */
  end(): boolean {
    const isNumber = this.#state === NUMBER && isCompleteNumber[this.#progress] === 1;
    if (isNumber && this.#depth === 0) {
      this.#state = AFTER_ALL;
      this.#visitor.onValue?.(this.#valueStart, this.#base, this.#firstByte);
    }
    return this.#state === AFTER_ALL;
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
    this.#inKey = false;
    this.#base = end;
    this.#state = AFTER_VALUE;
    this.#visitor.onValue?.(this.#valueStart, end, this.#firstByte);
  }

  /**
   * One function, with its state in locals: in methods and fields it ran at two thirds of the
   * speed. `break` in the switch: a value has ended at `at`. `continue`: none has.
   */
  #scan(piece: Uint8Array): void {
    const length = piece.length;
    const base = this.#base;
    let state = this.#state;
    let depth = this.#depth;
    let stack = this.#stack;
    let container = stack[depth] as number; // the stack is longer than it is deep
    let inKey = this.#inKey;
    const large = this.#large;
    const countedDepth = large === undefined ? 0 : COUNTED_DEPTH;
    const { outerCommas, starts } = large ?? noContainers;
    let commas = large?.commas ?? 0;
    // A comma or an end from there on is looked at.
    let lookAt = large?.beginPiece(base) ?? NOWHERE;
    let watched = large?.watched ?? 0;
    let at = 0;
    while (at < length) {
      const byte = piece[at] as number; // at is below length
      if (byte <= 0x20 && state <= AFTER_ALL) {
        if (isSpace[byte] === 0) return this.#fail("syntax");
        at = skipSpace(piece, at + 1);
        continue;
      }
      switch (state) {
        case STRING:
          at = skipPlain(piece, at);
          if (at === length) continue;
          if (piece[at] === BACKSLASH) {
            state = ESCAPE;
            at++;
            continue;
          }
          if (piece[at++] !== QUOTE) return this.#fail("syntax");
          if (!inKey) break;
          inKey = false;
          state = AFTER_KEY;
          if (depth === 1) {
            this.#visitor.onKey?.(this.#keyStart, base + at);
            if (this.done) return;
          } else if (((watched >>> depth) & 1) === 1 && large?.isLarge(depth) === true) {
            this.#visitor.onNestedKey?.(depth, this.#keyStart, base + at);
          }
          if (at < length && piece[at] === COLON) {
            state = VALUE;
            at++;
          }
          continue;
        case AFTER_VALUE:
          at++;
          if (byte === COMMA) {
            state = container === ARRAY ? VALUE : KEY;
            commas++;
            if (at >= lookAt && large !== undefined) {
              lookAt = large.comma(depth, stack, at, commas);
              watched = large.watched;
            }
            continue;
          }
          if (byte !== container + 2) return this.#fail("syntax");
          if (depth <= countedDepth) {
            if (at >= lookAt || ((watched >>> depth) & 1) === 1) {
              lookAt = large?.end(depth, stack, at, commas + 1) ?? NOWHERE;
              watched = large?.watched ?? 0;
            }
            commas = outerCommas[depth] as number; // as long as depths are counted
          }
          container = stack[--depth] as number;
          break;
        case FIRST_KEY:
        case KEY:
          if (byte === QUOTE) {
            if (depth <= 1 || ((watched >>> depth) & 1) === 1) this.#keyStart = base + at;
            inKey = true;
            state = STRING;
            at++;
            continue;
          }
          if (byte !== OBJECT + 2 || state === KEY) return this.#fail("syntax");
          at++;
          if (depth <= countedDepth) {
            if (at >= lookAt || ((watched >>> depth) & 1) === 1) {
              lookAt = large?.end(depth, stack, at, 0) ?? NOWHERE;
              watched = large?.watched ?? 0;
            }
            commas = outerCommas[depth] as number;
          }
          container = stack[--depth] as number;
          break;
        case AFTER_KEY:
          if (byte !== COLON) return this.#fail("syntax");
          state = VALUE;
          at++;
          continue;
        case FIRST_ELEMENT:
        case VALUE: {
          if (byte === ARRAY + 2 && state === FIRST_ELEMENT) {
            at++;
            if (depth <= countedDepth) {
              if (at >= lookAt || ((watched >>> depth) & 1) === 1) {
                lookAt = large?.end(depth, stack, at, 0) ?? NOWHERE;
                watched = large?.watched ?? 0;
              }
              commas = outerCommas[depth] as number;
            }
            container = stack[--depth] as number;
            break;
          }
          if (depth <= 1) {
            this.#valueStart = base + at;
            this.#firstByte = byte;
          }
          at++;
          if (byte === QUOTE) {
            state = STRING;
            continue;
          }
          if (byte === OBJECT || byte === ARRAY) {
            if (depth === this.#maxDepth) return this.#fail("too_deep");
            if (++depth === stack.length) stack = this.#growStack();
            stack[depth] = container = byte;
            if (depth <= countedDepth) {
              outerCommas[depth] = commas;
              starts[depth] = at - 1;
              commas = 0;
            }
            state = byte === OBJECT ? FIRST_KEY : FIRST_ELEMENT;
            continue;
          }
          this.#progress = numberStep[byte] as number; // state 0 has a step for each byte
          if (this.#progress !== 0) {
            state = NUMBER;
            continue;
          }
          const literal = literalOf(byte);
          if (literal === undefined) return this.#fail("syntax");
          this.#literal = literal;
          this.#progress = 1;
          state = LITERAL;
          continue;
        }
        case NUMBER: {
          let number = this.#progress;
          let next = numberStep[number * 256 + byte] as number; // every state has 256 columns
          while (next !== 0) {
            at = next === number ? skipDigits(piece, at + 1) : at + 1;
            number = next;
            if (at === length) break;
            next = numberStep[number * 256 + (piece[at] as number)] as number;
          }
          if (next !== 0) {
            this.#progress = number;
            continue;
          }
          if (isCompleteNumber[number] === 0) return this.#fail("syntax");
          break;
        }
        case LITERAL:
          if (byte !== this.#literal.charCodeAt(this.#progress++)) return this.#fail("syntax");
          at++;
          if (this.#progress === this.#literal.length) break;
          continue;
        case ESCAPE:
          if (isEscapable[byte] === 0) return this.#fail("syntax");
          state = byte === 0x75 ? HEX_DIGIT : STRING;
          this.#progress = 0;
          at++;
          continue;
        case HEX_DIGIT:
          if (isHexDigit[byte] === 0) return this.#fail("syntax");
          if (++this.#progress === 4) state = STRING;
          at++;
          continue;
        default:
          return this.#fail("syntax");
      }
      if (depth > 1) {
        state = AFTER_VALUE;
        if (at < length && piece[at] === COMMA) {
          state = container === ARRAY ? VALUE : KEY;
          at++;
          commas++;
          if (at >= lookAt && large !== undefined) {
            lookAt = large.comma(depth, stack, at, commas);
            watched = large.watched;
          }
        }
      } else {
        // At depth 0 only a scalar is reported: an array or object was, by its parts.
        const scalar = state > AFTER_ALL;
        state = depth === 0 ? AFTER_ALL : AFTER_VALUE;
        if (depth === 1 || scalar) {
          this.#visitor.onValue?.(this.#valueStart, base + at, this.#firstByte);
          if (this.done) return;
        }
      }
    }
    this.#state = state;
    this.#depth = depth;
    this.#inKey = inKey;
    large?.endPiece(depth, length, commas);
  }

  #growStack(): Uint8Array<ArrayBuffer> {
    const stack = new Uint8Array(this.#stack.length * 2);
    stack.set(this.#stack);
    this.#stack = stack;
    return stack;
  }

  #fail(failure: JsonFailure): void {
    this.#failure = failure;
    this.#state = DONE;
  }
}
