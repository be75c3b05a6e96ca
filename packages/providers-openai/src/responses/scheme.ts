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
import { parseError } from "../parse-error.js";
import { buildRequest, type OpenAIResponsesSchemeOptions } from "./build-request.js";
import { InputWriter } from "./input-items.js";
import { parseEnd, parseEvent, parseResponse } from "./parse-event.js";
import { type ResponsesState, createState } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** The OpenAI Responses API, and servers that speak it. */
export class OpenAIResponsesScheme implements Scheme<ResponsesState> {
  readonly name: string = SCHEME_NAME;
  readonly model: string;
  readonly framing = "sse";
  readonly #options: OpenAIResponsesSchemeOptions;
  readonly #history: HistoryWriter<InputWriter>;

  constructor(options: OpenAIResponsesSchemeOptions) {
    this.model = options.model;
    this.#options = options;
    this.#history = new HistoryWriter(() => new InputWriter(options));
  }

  buildRequest(request: LlmRequest): WireRequest {
    return buildRequest(request, this.#options, this.#history);
  }

  createState(): ResponsesState {
    return createState(this.model);
  }

  parseEvent(frame: Frame, state: ResponsesState, out: Event[]): void {
    parseEvent(frame, state, out);
  }

  parseEnd(state: ResponsesState, out: Event[]): void {
    parseEnd(state, out);
  }

  parseResponse(body: string, out: Event[]): void {
    parseResponse(body, this.createState(), out);
  }

  parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
    return parseError(status, body, headers);
  }
}
