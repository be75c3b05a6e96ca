import { setTimeout as sleepFor } from "node:timers/promises";
import type { Dispatcher } from "undici";
import type * as Undici from "undici";
import { errorMessage } from "../errors.js";
import type { Event } from "../model/event.js";
import type { LlmRequest } from "../model/request.js";
import { HttpAttempt } from "./http-attempt.js";
import { DEFAULT_TIMEOUTS, type HttpRequest, type HttpTimeouts } from "./http-exchange.js";
import { isLlmError, LlmError } from "./llm-error.js";
import type { Provider, StreamOptions } from "./provider.js";
import { redactSecrets, secretsIn } from "./redact.js";
import { retryDelayMs, type RetryOptions } from "./retry.js";
import type { Scheme, WireRequest } from "./scheme.js";
import { bodyPieces } from "./wire-body.js";

type HeaderRecord = Readonly<Record<string, string>>;

/** Request headers, or a function that is asked before each attempt, for keys that change. */
export type HttpHeaders =
  | HeaderRecord
  | ((signal: AbortSignal | undefined) => HeaderRecord | Promise<HeaderRecord>);

/** What is not the same twice; tests bring their own. */
export interface HttpRuntime {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What an {@link HttpProvider} is made of: a wire, an address, and how patient it is. */
export interface HttpProviderOptions<State> {
  readonly scheme: Scheme<State>;
  /** `http:` or `https:`, a server and perhaps a path, to which the scheme's is appended. */
  readonly baseUrl: string;
  /** Authentication and whatever else the server wants. Keys in them never appear in errors. */
  readonly headers?: HttpHeaders | undefined;
  readonly timeouts?: HttpTimeouts | undefined;
  readonly retry?: RetryOptions | undefined;
  /** An undici dispatcher to send through, such as a `ProxyAgent`. Default: an agent of its own. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly runtime?: Partial<HttpRuntime> | undefined;
}

const ACCEPT = { sse: "text/event-stream", ndjson: "application/x-ndjson" } as const;

/**
 * Sends what a {@link Scheme} builds and turns the answer into events.
 *
 * A failure before the first block event is retried if it may pass; after it the failure is
 * reported, since the same text would be shown twice. Redirects are not followed. Idle connections
 * are kept for the next request and do not keep the process alive.
 */
export class HttpProvider<State = unknown> implements Provider {
  readonly name: string;
  readonly model: string;
  readonly #scheme: Scheme<State>;
  readonly #baseUrl: string;
  readonly #headers: HttpHeaders;
  readonly #timeouts: HttpTimeouts;
  readonly #retry: RetryOptions;
  readonly #runtime: HttpRuntime;
  #dispatcher: Dispatcher | undefined;

  /**
   * @throws LlmError `invalid_request` if `baseUrl` is not an HTTP address, or has more than a path, or
   * if a time limit is no number
   */
  constructor(options: HttpProviderOptions<State>) {
    this.name = options.scheme.name;
    this.model = options.scheme.model;
    this.#scheme = options.scheme;
    this.#baseUrl = checkedBaseUrl(options.baseUrl);
    this.#headers = options.headers ?? {};
    this.#timeouts = checkedTimeouts(options.timeouts);
    this.#retry = options.retry ?? {};
    this.#runtime = { ...systemRuntime, ...options.runtime };
    this.#dispatcher = options.dispatcher;
  }

  async *stream(
    request: LlmRequest,
    options: StreamOptions = {},
  ): AsyncGenerator<readonly Event[], void, undefined> {
    const wire = this.#build(request);
    if (isLlmError(wire)) {
      yield [{ type: "error", error: wire.toInfo() }];
      return;
    }
    const { signal, onRequest } = options;
    const body = bodyPieces(wire.body);
    onRequest?.({ bodyBytes: byteLengthOf(body) });
    for (let retry = 1; ; retry++) {
      let secrets: readonly string[] = [];
      const attempt = new HttpAttempt({
        scheme: this.#scheme,
        timeouts: this.#timeouts,
        signal,
        now: this.#runtime.now,
        prepare: async () => {
          const own = await this.#ownHeaders(signal);
          secrets = secretsIn(own);
          return { dispatcher: await this.#pool(), request: this.#httpRequest(wire, own, body) };
        },
      });
      try {
        for (let batch = await attempt.next(); batch !== undefined; batch = await attempt.next()) {
          if (batch.length > 0) yield batch;
        }
      } finally {
        attempt.close();
      }
      if (attempt.failure === undefined) return;
      const error = redactSecrets(attempt.failure, secrets);
      const delayMs = attempt.hasContent
        ? undefined
        : retryDelayMs(error, retry, this.#retry, this.#runtime.random);
      if (delayMs === undefined) {
        yield [{ type: "error", error }];
        return;
      }
      yield [{ type: "status", status: "retrying", attempt: retry, delayMs, error }];
      // An abort ends the wait; the next attempt then reports it.
      await this.#runtime.sleep(delayMs, signal).catch(() => {});
    }
  }

  #build(request: LlmRequest): WireRequest | LlmError {
    try {
      return this.#scheme.buildRequest(request);
    } catch (thrown) {
      if (isLlmError(thrown)) return thrown;
      const problem = `the request could not be built: ${errorMessage(thrown)}; look for what is no JSON in tools and items`;
      return new LlmError("invalid_request", problem, { cause: thrown });
    }
  }

  async #ownHeaders(signal: AbortSignal | undefined): Promise<HeaderRecord> {
    if (typeof this.#headers !== "function") return this.#headers;
    try {
      return await this.#headers(signal);
    } catch (cause) {
      // The cause's own message might hold the key.
      throw new LlmError("auth", "the headers function of the provider failed", { cause });
    }
  }

  #httpRequest(wire: WireRequest, own: HeaderRecord, body: readonly Uint8Array[]): HttpRequest {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      // Without it a body of many pieces would be sent in chunks, which not every server takes.
      "content-length": String(byteLengthOf(body)),
      accept: ACCEPT[this.#scheme.framing],
      // Left out, it would mean any.
      "accept-encoding": "identity",
    };
    for (const [name, value] of [...Object.entries(wire.headers), ...Object.entries(own)]) {
      headers[name.toLowerCase()] = value;
    }
    return { url: new URL(this.#baseUrl + wire.path), headers, body };
  }

  async #pool(): Promise<Dispatcher> {
    if (this.#dispatcher === undefined) {
      const { Agent } = await loadUndici();
      const timeout = this.#timeouts.connectMs ?? DEFAULT_TIMEOUTS.connectMs;
      this.#dispatcher ??= new Agent({ connect: { timeout } });
    }
    return this.#dispatcher;
  }
}

/** At the first request only: loading undici costs as much as all the rest of this package. */
async function loadUndici(): Promise<typeof Undici> {
  try {
    return await import("undici");
  } catch (cause) {
    throw new LlmError(
      "invalid_request",
      `the request cannot be sent, undici could not be loaded (${errorMessage(cause)}): ` +
        "install it, or, if this program is a bundle of ES modules, keep undici out of it or define require",
      { cause },
    );
  }
}

const systemRuntime: HttpRuntime = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
};

function byteLengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** What is no number would be no limit, and a request might wait for ever. */
function checkedTimeouts(timeouts: HttpTimeouts = {}): HttpTimeouts {
  for (const [name, ms] of Object.entries<number | undefined>({ ...timeouts })) {
    if (ms === undefined || ms >= 0) continue;
    throw new LlmError(
      "invalid_request",
      `timeouts.${name} is ${ms}: use a number of milliseconds, or 0 for no limit`,
    );
  }
  return timeouts;
}

function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new LlmError("invalid_request", "baseUrl has to begin with http:// or https://");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new LlmError(
      "invalid_request",
      "baseUrl may name a server and a path, no more: put user and password into a header, leave out what follows ? or #",
    );
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
