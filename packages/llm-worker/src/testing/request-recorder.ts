import type { Provider, StreamOptions } from "../client/provider.js";
import type { Event } from "../model/event.js";
import type { LlmRequest } from "../model/request.js";

/** Stands in front of a provider and keeps each request as it was when it was sent. */
export class RequestRecorder implements Provider {
  readonly requests: LlmRequest[] = [];
  readonly #provider: Provider;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  get name(): string {
    return this.#provider.name;
  }

  get model(): string {
    return this.#provider.model;
  }

  stream(request: LlmRequest, options?: StreamOptions): AsyncIterable<readonly Event[]> {
    // The history grows in place, so the array is copied; its items never change.
    this.requests.push({ ...request, tools: [...request.tools], items: [...request.items] });
    return this.#provider.stream(request, options);
  }
}
