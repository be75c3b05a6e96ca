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
import { buildRequest, type OpenAIChatSchemeOptions } from "./build-request.js";
import { MessageWriter } from "./messages.js";
import { parseEnd, parseEvent, parseResponse } from "./parse-event.js";
import { type ChatState, createState } from "./state.js";
import { SCHEME_NAME } from "./wire.js";

/** OpenAI Chat Completions, and the many servers that speak it. */
export class OpenAIChatScheme implements Scheme<ChatState> {
  readonly name: string = SCHEME_NAME;
  readonly model: string;
  readonly framing = "sse";
  readonly #options: OpenAIChatSchemeOptions;
  readonly #history: HistoryWriter<MessageWriter>;

  constructor(options: OpenAIChatSchemeOptions) {
    this.model = options.model;
    this.#options = options;
    this.#history = new HistoryWriter(() => new MessageWriter(options));
  }

  buildRequest(request: LlmRequest): WireRequest {
    return buildRequest(request, this.#options, this.#history);
  }

  createState(): ChatState {
    return createState(this.model);
  }

  parseEvent(frame: Frame, state: ChatState, out: Event[]): void {
    parseEvent(frame, state, out);
  }

  parseEnd(state: ChatState, out: Event[]): void {
    parseEnd(state, out);
  }

  parseResponse(body: string, out: Event[]): void {
    parseResponse(body, this.createState(), out);
  }

  parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
    return parseError(status, body, headers);
  }
}
