import type { Event } from "../model/event.js";
import type { LlmRequest } from "../model/request.js";
import type { LlmError } from "./llm-error.js";
import type { WireBody } from "./wire-body.js";

/** One frame of a stream: an SSE event, or one line of NDJSON (then `event` is absent). */
export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}

/** A request as it goes on the wire. */
export interface WireRequest {
  /** Appended to the base URL; begins with `/`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON: its text, or what it is made of; `String(body)` is the text of both. */
  readonly body: string | WireBody;
}

/** Response headers, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Translation between the neutral model and one wire. Pure: no I/O, no clock, no randomness, so
 * that it can be tested on recorded bytes. `State` is what one response's decoding remembers; it
 * belongs to the scheme and is changed in place.
 */
export interface Scheme<State = unknown> {
  /** Such as `anthropic`; the label in `ProviderData`. */
  readonly name: string;
  readonly model: string;
  readonly framing: "sse" | "ndjson";
  /** @throws LlmError `invalid_request` where the request cannot be said on this wire */
  buildRequest(request: LlmRequest): WireRequest;
  createState(): State;
  /** Events of one frame, in order, appended to `out`. Never throws on what a server may send. */
  parseEvent(frame: Frame, state: State, out: Event[]): void;
  /**
   * The stream has ended: appends what is still due. Without the wire's end marker that is an
   * abort for each open block and an `error` event (`protocol`).
   */
  parseEnd(state: State, out: Event[]): void;
  /** A successful answer that is one JSON document instead of a stream: the same events. */
  parseResponse(body: string, out: Event[]): void;
  /** A failed answer. `body` may be anything: JSON of any shape, HTML, empty. */
  parseError(status: number, body: string, headers: ResponseHeaders): LlmError;
}
