import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { startTimer } from "../blob/timer.js";
import { LlmError } from "./llm-error.js";
import { toLlmError } from "./network-error.js";
import type { ResponseHeaders } from "./scheme.js";

/** Time limits of one attempt, in milliseconds; 0 turns one off. */
export interface HttpTimeouts {
  /** Until the connection is open, TLS included. Default 10000. */
  readonly connectMs?: number | undefined;
  /** From sending until the response headers are here; a `headers` function has as long. Default 120000. */
  readonly firstByteMs?: number | undefined;
  /** Between two pieces of the body. Default 60000. */
  readonly idleMs?: number | undefined;
}

/** The time limits of a request, unless told otherwise. */
export const DEFAULT_TIMEOUTS: Readonly<Record<keyof HttpTimeouts, number>> = {
  connectMs: 10_000,
  firstByteMs: 120_000,
  idleMs: 60_000,
};

/** What is sent. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, in order. The headers say how many. */
  readonly body: readonly Uint8Array[];
}

/** Status line and headers of the answer. */
export interface HttpResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/**
 * One POST and its answer, read piece by piece. Every failure, a time limit and an abort included,
 * is an {@link LlmError}; {@link close} has to be called at the end, and closes the socket unless
 * the answer was read to its end.
 */
export class HttpExchange {
  readonly #abort = new AbortController();
  readonly #idle: IdleTimer;
  readonly #firstByteMs: number;
  readonly #signal: AbortSignal | undefined;
  #body: Dispatcher.ResponseData["body"] | undefined;
  #pieces: AsyncIterator<unknown> | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(timeouts: HttpTimeouts, signal: AbortSignal | undefined) {
    this.#firstByteMs = timeouts.firstByteMs ?? DEFAULT_TIMEOUTS.firstByteMs;
    const idleMs = timeouts.idleMs ?? DEFAULT_TIMEOUTS.idleMs;
    this.#idle = new IdleTimer(idleMs, () => {
      this.#abort.abort(
        new LlmError("timeout", `the server was silent for ${idleMs} ms (timeouts.idleMs)`),
      );
    });
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (signal?.aborted === true) this.#onAbort();
  }

  readonly #onAbort = (): void => {
    this.#abort.abort(
      new LlmError("aborted", "the request was aborted", { cause: this.#signal?.reason }),
    );
  };

  /** Does some other work first, but fails at once when the signal is aborted, and in time. */
  async prepare<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#abort;
    if (signal.aborted) throw this.#failure(undefined);
    const limit = this.#limitStart("the headers function of the provider has not answered");
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(this.#failure(undefined)), { once: true });
        work().then(resolve, reject);
      });
    } finally {
      clearTimeout(limit);
    }
  }

  #limitStart(problem: string): NodeJS.Timeout | undefined {
    return deadline(this.#firstByteMs, () => {
      this.#abort.abort(
        new LlmError("timeout", `${problem} within ${this.#firstByteMs} ms (timeouts.firstByteMs)`),
      );
    });
  }

  /** Sends the request; resolves when the response headers are here. */
  async open(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponseHead> {
    const limit = this.#limitStart("no answer");
    try {
      const { statusCode, headers, body } = await dispatcher.request({
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: "POST",
        headers: request.headers,
        body: toUndiciBody(request.body),
        signal: this.#abort.signal,
        // Our own limits are exact and are not running while the caller is busy with a batch.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      // A destroyed body emits an error even when nobody reads it any more.
      body.on("error", () => {});
      this.#body = body;
      this.#pieces = body[Symbol.asyncIterator]();
      return { status: statusCode, headers: flatten(headers) };
    } catch (cause) {
      throw this.#failure(cause);
    } finally {
      clearTimeout(limit);
    }
  }

  /** The next piece of the body, `undefined` at its end. */
  async read(): Promise<Uint8Array | undefined> {
    this.#idle.start();
    try {
      const next = await this.#pieces?.next();
      // undici bodies yield bytes.
      return next === undefined || next.done === true ? undefined : (next.value as Uint8Array);
    } catch (cause) {
      throw this.#failure(cause);
    } finally {
      this.#idle.pause();
    }
  }

  /** The rest of the body as text. @throws LlmError `protocol` over `maxBytes` */
  async readText(maxBytes: number): Promise<string> {
    const pieces: Uint8Array[] = [];
    if ((await this.#collect(pieces, maxBytes)) > maxBytes) {
      throw new LlmError("protocol", `the answer is longer than ${maxBytes} bytes`);
    }
    return Buffer.concat(pieces).toString("utf8");
  }

  /** As much of the rest of the body as comes, up to `maxBytes`. @throws LlmError `aborted` only */
  async readSome(maxBytes: number): Promise<string> {
    const pieces: Uint8Array[] = [];
    try {
      await this.#collect(pieces, maxBytes);
    } catch (thrown) {
      if (this.#signal?.aborted === true) throw thrown;
    }
    return Buffer.concat(pieces).toString("utf8", 0, maxBytes);
  }

  /** Reads to the end, or until there are more than `maxBytes`. Resolves to how many there are. */
  async #collect(pieces: Uint8Array[], maxBytes: number): Promise<number> {
    let byteCount = 0;
    while (byteCount <= maxBytes) {
      const piece = await this.read();
      if (piece === undefined) break;
      pieces.push(piece);
      byteCount += piece.length;
    }
    return byteCount;
  }

  /** From now on, the rest of the body may take at most this long, however often a piece of it comes. */
  limitRest(restMs: number): void {
    this.#idle.stop();
    this.#restTimer ??= startTimer(() => {
      this.#abort.abort(new LlmError("timeout", `the rest took longer than ${restMs} ms`));
    }, restMs);
  }

  /** Gives back the connection, or closes it if the answer was not read to its end. */
  close(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#idle.stop();
    clearTimeout(this.#restTimer);
    this.#body?.destroy();
  }

  #failure(cause: unknown): LlmError {
    return toLlmError(this.#abort.signal.aborted ? this.#abort.signal.reason : cause);
  }
}

/** Runs only while we wait for the network. Restarting it is cheap: once a piece. */
class IdleTimer {
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;

  constructor(idleMs: number, onIdle: () => void) {
    this.#timer = deadline(idleMs, () => {
      if (this.#isWaiting) onIdle();
    });
  }

  start(): void {
    this.#isWaiting = true;
    this.#timer?.refresh();
  }

  pause(): void {
    this.#isWaiting = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** One piece stays bytes, which a dispatcher can do more with than with a list. */
function toUndiciBody(pieces: readonly Uint8Array[]): Readable | Uint8Array | null {
  const [only, ...others] = pieces;
  if (others.length === 0) return only ?? null;
  // undici takes any iterable of bytes, but its types name only some.
  return pieces as unknown as Readable;
}

function deadline(ms: number, onTime: () => void): NodeJS.Timeout | undefined {
  return ms > 0 ? startTimer(onTime, ms) : undefined;
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ResponseHeaders {
  const flat: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
