import type {
  Event,
  Frame,
  LlmError,
  LlmRequest,
  ResponseHeaders,
  Scheme,
  WireRequest,
} from "llm-worker";
import { BlockWriter } from "./blocks.js";
import { buildRequest, type GeminiSchemeOptions } from "./build-request.js";
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
  readonly #blocks: BlockWriter;

  constructor(options: GeminiSchemeOptions) {
    this.model = options.model;
    this.#options = options;
    this.#blocks = new BlockWriter(options.model);
  }

  buildRequest(request: LlmRequest): WireRequest {
    return buildRequest(request, this.#options, this.#blocks);
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
