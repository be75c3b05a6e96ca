import {
  type Event,
  type Frame,
  HistoryWriter,
  type LlmError,
  type LlmRequest,
  type ResponseHeaders,
  type Scheme,
  type WireRequest,
} from "llm-worker";
import { type AnthropicSchemeOptions, buildRequest } from "./build-request.js";
import { MessageWriter } from "./messages.js";
import { parseError } from "./parse-error.js";
import { parseEnd, parseEvent, parseResponse } from "./parse-event.js";
import { type AnthropicState, createState } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** The Anthropic Messages API, and servers that speak it. */
export class AnthropicScheme implements Scheme<AnthropicState> {
  readonly name: string = SCHEME_NAME;
  readonly model: string;
  readonly framing = "sse";
  readonly #options: AnthropicSchemeOptions;
  readonly #history: HistoryWriter<MessageWriter>;

  constructor(options: AnthropicSchemeOptions) {
    this.model = options.model;
    this.#options = options;
    this.#history = new HistoryWriter(() => new MessageWriter(options.model));
  }

  buildRequest(request: LlmRequest): WireRequest {
    return buildRequest(request, this.#options, this.#history);
  }

  createState(): AnthropicState {
    return createState(this.model);
  }

  parseEvent(frame: Frame, state: AnthropicState, out: Event[]): void {
    parseEvent(frame.data, state, out);
  }

  parseEnd(state: AnthropicState, out: Event[]): void {
    parseEnd(state, out);
  }

  parseResponse(body: string, out: Event[]): void {
    parseResponse(body, this.createState(), out);
  }

  parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
    return parseError(status, body, headers);
  }
}
