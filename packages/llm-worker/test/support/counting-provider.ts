import type { Provider, StreamOptions } from "../../src/client/provider.js";
import type { Event } from "../../src/model/event.js";
import type { LlmRequest } from "../../src/model/request.js";

/**
 * A provider that makes each answer from its request's number, from 1, and keeps nothing of a request:
 * for runs so long that what a test keeps of them would cost more than they do.
 */
export class CountingProvider implements Provider {
  readonly name = "counting";
  readonly model = "counting-1";
  requestCount = 0;
  /** Histories that were handed over: the same array as long as the history has only grown. */
  readonly histories: Set<LlmRequest["items"]> = new Set();
  readonly #answer: (requestNumber: number) => readonly Event[];

  constructor(answer: (requestNumber: number) => readonly Event[]) {
    this.#answer = answer;
  }

  async *stream(
    request: LlmRequest,
    _options?: StreamOptions,
  ): AsyncGenerator<readonly Event[], void, undefined> {
    this.requestCount += 1;
    this.histories.add(request.items);
    yield this.#answer(this.requestCount);
  }
}
