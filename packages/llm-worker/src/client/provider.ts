import type { Event } from "../model/event.js";
import type { LlmRequest } from "../model/request.js";

/** What can be told of one request. */
export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Told of the request's size once it is built, before it is sent: the worker's `request` event and
   * the span of the request come from it.
   */
  readonly onRequest?: ((facts: { readonly bodyBytes: number }) => void) | undefined;
}

/** Whatever answers a request: an {@link HttpProvider}, a script, a recording. */
export interface Provider {
  /** Name of the wire, such as `anthropic`. */
  readonly name: string;
  readonly model: string;
  /**
   * The events of one response, in batches as they arrive: one batch a network piece, so that an
   * event costs no promise of its own. A whole answer ends with the status `response_finished`.
   * Failures do not throw: the last event is then an `error`, with the aborts of the open blocks
   * before it. Leaving the loop closes the connection.
   *
   * `request.items` is the worker's own list: who keeps it for longer than the stream copies it.
   */
  stream(request: LlmRequest, options?: StreamOptions): AsyncIterable<readonly Event[]>;
}
