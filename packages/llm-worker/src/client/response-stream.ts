import type { Event, LlmErrorInfo } from "../model/event.js";
import { BlockGuard } from "./block-guard.js";
import type { FrameDecoder } from "./frame-decoder.js";
import { NdjsonDecoder } from "./ndjson.js";
import type { Frame, Scheme } from "./scheme.js";
import { SseDecoder } from "./sse.js";

/**
 * One answer on its way from bytes to events. The `error` event is not among them: it is kept in
 * {@link failure}, because the request may still be sent again.
 */
export class ResponseStream<State> {
  readonly #scheme: Scheme<State>;
  readonly #state: State;
  readonly #frames: FrameDecoder;
  readonly #guard = new BlockGuard();
  readonly #onFrame: (frame: Frame) => void;
  #decoded: Event[] = [];
  #failure: LlmErrorInfo | undefined;

  constructor(scheme: Scheme<State>) {
    this.#scheme = scheme;
    this.#state = scheme.createState();
    this.#frames = scheme.framing === "sse" ? new SseDecoder() : new NdjsonDecoder();
    this.#onFrame = (frame) => scheme.parseEvent(frame, this.#state, this.#decoded);
  }

  /** How the answer failed, if it did. The open blocks are aborted then. */
  get failure(): LlmErrorInfo | undefined {
    return this.#failure;
  }

  /** Whether the answer came to its proper end. */
  get isFinished(): boolean {
    return this.#guard.isFinished;
  }

  /** Whether a block has begun. */
  get hasContent(): boolean {
    return this.#guard.hasContent;
  }

  /** The events of the next piece. */
  write(piece: Uint8Array): Event[] {
    this.#frames.write(piece, this.#onFrame);
    return this.#takeDecoded();
  }

  /** The events that the end of the body brings. */
  end(): Event[] {
    this.#frames.end(this.#onFrame);
    this.#scheme.parseEnd(this.#state, this.#decoded);
    return this.#takeDecoded();
  }

  /** The events of an answer that came as one document, or as a stream under a JSON label. */
  document(text: string): Event[] {
    if (!isJson(text)) {
      this.#frames.write(Buffer.from(text), this.#onFrame);
      return this.end();
    }
    this.#scheme.parseResponse(text, this.#decoded);
    return this.#takeDecoded();
  }

  /** The answer broke off: the aborts of the open blocks, after what was decoded before. */
  fail(failure: LlmErrorInfo): Event[] {
    const out = this.#takeDecoded();
    this.#failure ??= failure;
    this.#guard.abortOpen(failure.message, out);
    return out;
  }

  #takeDecoded(): Event[] {
    const out: Event[] = [];
    for (const event of this.#decoded) this.#guard.push(event, out);
    this.#decoded = [];
    const last = out.at(-1);
    if (last?.type === "error") {
      this.#failure = last.error;
      out.pop();
    }
    return out;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
