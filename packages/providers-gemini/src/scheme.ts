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
import { buildRequest, type GeminiSchemeOptions } from "./build-request.js";
import { MessageWriter } from "./messages.js";
import { parseError } from "./parse-error.js";
import { parseEnd, parseEvent, parseResponse } from "./parse-event.js";
import { createState, type GeminiState } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** The Gemini API (`generateContent`) of Google AI and of Vertex AI. */
export class GeminiScheme implements Scheme<GeminiState> {
  readonly name: string = SCHEME_NAME;
  readonly model: string;
  readonly framing = "sse";
  readonly #options: GeminiSchemeOptions;
  readonly #history: HistoryWriter<MessageWriter>;

  constructor(options: GeminiSchemeOptions) {
    this.model = options.model;
    this.#options = options;
    this.#history = new HistoryWriter(() => new MessageWriter(options.model));
  }

  buildRequest(request: LlmRequest): WireRequest {
    return buildRequest(request, this.#options, this.#history);
  }

  createState(): GeminiState {
    return createState(this.model);
  }

  parseEvent(frame: Frame, state: GeminiState, out: Event[]): void {
    parseEvent(frame.data, state, out);
  }

  parseEnd(state: GeminiState, out: Event[]): void {
    parseEnd(state, out);
  }

  parseResponse(body: string, out: Event[]): void {
    parseResponse(body, this.createState(), out);
  }

  parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
    return parseError(status, body, headers);
  }
}
