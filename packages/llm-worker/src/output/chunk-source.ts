import { isHighSurrogate } from "./grapheme.js";
import { bytesOf, isDetached, wellFormed } from "./tool-output.js";
import { failureText } from "../errors.js";
import { ToolTimeoutError } from "../tool/tool-server.js";

/** A longer string is encoded in pieces of this size, so that no second copy of it is made. */
const MAX_PIECE_UNITS = 65_536;

/** How a stream came to its end. */
export type StreamEnd =
  | { readonly type: "finished" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "aborted" };

/**
 * A tool's stream of strings and bytes as bytes. A surrogate pair that is split between two strings
 * is put together again. Asks the tool for the next chunk only when asked for it, ends early when
 * the signal is aborted, and never throws: `end` tells why there is nothing more.
 */
export class ChunkSource {
  readonly #stream: AsyncIterable<unknown>;
  #iterator: AsyncIterator<unknown> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#wake?.();
  #wake: (() => void) | undefined;
  /** A string that is being encoded piece by piece, and how far that has come. */
  #text = "";
  #textAt = 0;
  /** The first half of a surrogate pair whose other half has not come yet. */
  #halfPair = "";
  #end: StreamEnd | undefined;
  /** The tool has nothing more to give and nothing to clean up. */
  #isDone = false;
  /** The tool has been asked and has not answered: a call of its `return` would wait for that. */
  #isAsked = false;
  #isAllText = true;

  constructor(stream: AsyncIterable<unknown>, signal: AbortSignal | undefined) {
    this.#stream = stream;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Set once there is nothing more. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** Whether all chunks so far were strings. */
  get isAllText(): boolean {
    return this.#isAllText;
  }

  /** The next bytes, or `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#textAt < this.#text.length) {
        const piece = this.#encodePiece();
        if (piece.length > 0) return piece;
      } else if (this.#end === undefined) {
        const bytes = this.#take(await this.#ask());
        if (bytes !== undefined && bytes.length > 0) return bytes;
      } else {
        return this.#takeHalfPair();
      }
    }
  }

  /**
   * Lets the tool clean up if it has not come to its end, and waits for that unless the tool is busy,
   * until the signal is aborted. Stops listening to the signal.
   */
  async close(): Promise<void> {
    this.#end ??= { type: "aborted" };
    if (!this.#isDone) {
      // What the tool's clean-up throws changes nothing about what was read.
      const returned = this.#return().catch(() => undefined);
      if (!this.#isAsked && this.#signal?.aborted !== true) await this.#settledOrAborted(returned);
    }
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  #settledOrAborted(work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      void work.then(() => resolve());
    });
  }

  #ask(): Promise<IteratorResult<unknown> | StreamFailure | undefined> {
    if (this.#signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wake = () => {
        resolve(undefined);
      };
      this.#isAsked = true;
      const settle = (result: IteratorResult<unknown> | StreamFailure): void => {
        this.#isAsked = false;
        this.#wake = undefined;
        resolve(result);
      };
      this.#askIterator().then(settle, (error: unknown) => {
        settle(new StreamFailure(wellFormed(failureText(error))));
      });
    });
  }

  async #askIterator(): Promise<IteratorResult<unknown>> {
    this.#iterator ??= this.#stream[Symbol.asyncIterator]();
    return this.#iterator.next();
  }

  async #return(): Promise<unknown> {
    this.#iterator ??= this.#stream[Symbol.asyncIterator]();
    return this.#iterator.return?.();
  }

  #take(result: IteratorResult<unknown> | StreamFailure | undefined): Uint8Array | undefined {
    if (result === undefined) this.#end = endOfAbort(this.#signal);
    else if (result instanceof StreamFailure)
      this.#end = { type: "failed", message: result.message };
    else if (result.done === true) this.#end = { type: "finished" };
    else return this.#accept(result.value);
    this.#isDone = result !== undefined;
    return undefined;
  }

  #accept(chunk: unknown): Uint8Array | undefined {
    if (typeof chunk === "string") {
      this.#text = this.#halfPair === "" ? chunk : this.#halfPair + chunk;
      this.#textAt = 0;
      this.#halfPair = "";
      return undefined;
    }
    const bytes = bytesOf(chunk);
    if (bytes === undefined) {
      const what = isDetached(chunk) ? "a detached ArrayBuffer" : typeof chunk;
      const message = `the stream gave ${what} where strings or bytes are read`;
      this.#end = { type: "failed", message };
      return undefined;
    }
    this.#isAllText = false;
    const half = this.#takeHalfPair();
    return half === undefined ? bytes : Buffer.concat([half, bytes]);
  }

  #encodePiece(): Uint8Array {
    const text = this.#text;
    const start = this.#textAt;
    let end = Math.min(text.length, start + MAX_PIECE_UNITS);
    if (isHighSurrogate(text.charCodeAt(end - 1))) {
      if (end === text.length) this.#halfPair = text.slice(end - 1);
      end -= 1;
    }
    this.#textAt = this.#halfPair === "" ? end : text.length;
    if (this.#textAt === text.length) this.#text = "";
    return Buffer.from(text.slice(start, end));
  }

  #takeHalfPair(): Uint8Array | undefined {
    if (this.#halfPair === "") return undefined;
    const half = Buffer.from(this.#halfPair);
    this.#halfPair = "";
    return half;
  }
}

/** A tool whose time is up has failed of that, whatever becomes of the run. */
function endOfAbort(signal: AbortSignal | undefined): StreamEnd {
  const reason: unknown = signal?.reason;
  return reason instanceof ToolTimeoutError
    ? { type: "failed", message: reason.message }
    : { type: "aborted" };
}

/** A failed stream as a value, so that it cannot be mistaken for anything a tool gives. */
class StreamFailure {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
