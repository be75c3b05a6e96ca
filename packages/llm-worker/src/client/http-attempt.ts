import type { Dispatcher } from "undici";
import type { Event, LlmErrorInfo } from "../model/event.js";
import {
  HttpExchange,
  type HttpRequest,
  type HttpResponseHead,
  type HttpTimeouts,
} from "./http-exchange.js";
import { MAX_FRAME_BYTES } from "./line-blocks.js";
import { LlmError } from "./llm-error.js";
import { toLlmError } from "./network-error.js";
import { ResponseStream } from "./response-stream.js";
import type { Scheme } from "./scheme.js";

/** How much of an error answer is read. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** How long an error answer may take to come. */
const ERROR_BODY_MS = 10_000;
/** How long a finished answer may hold its connection before that is closed instead of kept. */
const DRAIN_MS = 500;

/** What one attempt needs. */
export interface HttpAttemptOptions<State> {
  readonly scheme: Scheme<State>;
  readonly timeouts: HttpTimeouts;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds since 1970: what a `retry-after` date is measured from. */
  readonly now: () => number;
  /** Makes the connection pool and the request, keys included, when the attempt begins. */
  readonly prepare: () => Promise<PreparedRequest>;
}

export interface PreparedRequest {
  readonly dispatcher: Dispatcher;
  readonly request: HttpRequest;
}

/** One request sent once. Never throws: how it failed is in {@link failure}. */
export class HttpAttempt<State> {
  readonly #options: HttpAttemptOptions<State>;
  readonly #exchange: HttpExchange;
  readonly #response: ResponseStream<State>;
  #stage: "new" | "reading" | "over" = "new";

  constructor(options: HttpAttemptOptions<State>) {
    this.#options = options;
    this.#exchange = new HttpExchange(options.timeouts, options.signal);
    this.#response = new ResponseStream(options.scheme);
  }

  /** Set when {@link next} has given `undefined` and the answer failed. */
  get failure(): LlmErrorInfo | undefined {
    return this.#response.failure;
  }

  /** Whether a block event was handed on. */
  get hasContent(): boolean {
    return this.#response.hasContent;
  }

  /** The events of the next network piece, perhaps none; `undefined` at the end. */
  async next(): Promise<readonly Event[] | undefined> {
    if (this.#stage === "over") return undefined;
    try {
      if (this.#stage === "new") {
        const document = await this.#open();
        if (document !== undefined) return document;
      }
      const piece = await this.#exchange.read();
      const events = piece === undefined ? this.#response.end() : this.#response.write(piece);
      if (piece === undefined || this.#response.failure !== undefined) this.#stage = "over";
      else if (this.#response.isFinished) this.#exchange.limitRest(DRAIN_MS);
      return events;
    } catch (thrown) {
      this.#stage = "over";
      // After the end marker nothing is missing, however the connection ends.
      if (this.#response.isFinished) return undefined;
      return this.#response.fail(toLlmError(thrown).toInfo());
    }
  }

  /** Gives back or closes the connection. */
  close(): void {
    this.#exchange.close();
  }

  /** Sends the request. The events are given if the answer was one document. */
  async #open(): Promise<readonly Event[] | undefined> {
    const { dispatcher, request } = await this.#exchange.prepare(this.#options.prepare);
    const head = await this.#exchange.open(dispatcher, request);
    const contentType = head.headers["content-type"] ?? "";
    if (head.status >= 300) throw await this.#statusError(head, request);
    if (/^\s*text\/html/i.test(contentType)) throw notAStream(contentType);
    assertPlain(head.headers["content-encoding"]);
    this.#stage = "reading";
    if (!isJsonType(contentType)) return undefined;
    const text = await this.#exchange.readText(MAX_FRAME_BYTES);
    this.#stage = "over";
    return this.#response.document(text);
  }

  async #statusError(head: HttpResponseHead, request: HttpRequest): Promise<LlmError> {
    if (head.status < 400) return redirectError(head, request.url);
    // The status says most of it: whatever becomes of the body, that is told.
    this.#exchange.limitRest(ERROR_BODY_MS);
    const body = await this.#exchange.readSome(MAX_ERROR_BODY_BYTES);
    const date = head.headers["date"] ?? new Date(this.#options.now()).toUTCString();
    return this.#options.scheme.parseError(head.status, body, { ...head.headers, date });
  }
}

function isJsonType(contentType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(contentType);
}

function notAStream(contentType: string): LlmError {
  return new LlmError(
    "protocol",
    `the answer is ${contentType}, not a stream of events; check that baseUrl names a model server`,
  );
}

/** What cannot be read is asked for once: a second answer would be compressed, and billed, as well. */
function assertPlain(encoding = ""): void {
  if (/^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new LlmError(
    "protocol",
    `the answer is compressed (${encoding}), which was not asked for; turn that off in the server, or in what is before it`,
  );
}

function redirectError(head: HttpResponseHead, url: URL): LlmError {
  const location = head.headers["location"] ?? "";
  const target = URL.canParse(location, url.href) ? new URL(location, url.href).origin : "nowhere";
  return new LlmError(
    "protocol",
    `the server redirects to ${target}; redirects are not followed, as the key would go along: set baseUrl to the right address`,
    { status: head.status },
  );
}
