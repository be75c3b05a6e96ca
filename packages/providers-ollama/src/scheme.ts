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
import { buildRequest, type OllamaSchemeOptions } from "./build-request.js";
import { MessageWriter } from "./messages.js";
import { parseError } from "./parse-error.js";
import { parseEnd, parseEvent, parseResponse } from "./parse-event.js";
import { createState, type OllamaState } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** Ollama's own chat API, `/api/chat`. */
export class OllamaScheme implements Scheme<OllamaState> {
  readonly name: string = SCHEME_NAME;
  readonly model: string;
  readonly framing = "ndjson";
  readonly #options: OllamaSchemeOptions;
  readonly #history: HistoryWriter<MessageWriter>;

  constructor(options: OllamaSchemeOptions) {
    this.model = options.model;
    this.#options = options;
    this.#history = new HistoryWriter(() => new MessageWriter(options.model));
  }

  buildRequest(request: LlmRequest): WireRequest {
    return buildRequest(request, this.#options, this.#history);
  }

  createState(): OllamaState {
    return createState(this.model);
  }

  parseEvent(frame: Frame, state: OllamaState, out: Event[]): void {
    parseEvent(frame.data, state, out);
  }

  parseEnd(state: OllamaState, out: Event[]): void {
    parseEnd(state, out);
  }

  parseResponse(body: string, out: Event[]): void {
    parseResponse(body, this.createState(), out);
  }

  parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
    return parseError(status, body, headers);
  }
}
