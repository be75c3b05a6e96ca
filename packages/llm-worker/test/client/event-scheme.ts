import { httpStatusError } from "../../src/client/http-status-error.js";
import { LlmError } from "../../src/client/llm-error.js";
import type { Frame, ResponseHeaders, Scheme, WireRequest } from "../../src/client/scheme.js";
import type { Event } from "../../src/model/event.js";
import type { LlmRequest } from "../../src/model/request.js";

/** A wire for tests: each frame is an event of ours as JSON, a document is a list of them. */
export class EventScheme implements Scheme<{ isOver: boolean }> {
  readonly name = "event";
  readonly model = "test";
  readonly framing: "sse" | "ndjson";

  constructor(framing: "sse" | "ndjson" = "sse") {
    this.framing = framing;
  }

  buildRequest(request: LlmRequest): WireRequest {
    if (request.items.length === 0) throw new LlmError("invalid_request", "nothing to send");
    return { path: "/v1/events", headers: { "x-wire": "1" }, body: JSON.stringify(request.items) };
  }

  createState(): { isOver: boolean } {
    return { isOver: false };
  }

  parseEvent(frame: Frame, state: { isOver: boolean }, out: Event[]): void {
    const event = JSON.parse(frame.data) as Event;
    out.push(event);
    if (event.type === "error" || isFinish(event)) state.isOver = true;
  }

  parseEnd(state: { isOver: boolean }, out: Event[]): void {
    if (state.isOver) return;
    const error = new LlmError("protocol", "no end marker", { retryable: true });
    out.push({ type: "error", error: error.toInfo() });
  }

  parseResponse(body: string, out: Event[]): void {
    out.push(...(JSON.parse(body) as Event[]));
  }

  parseError(status: number, body: string, headers: ResponseHeaders): LlmError {
    return httpStatusError(status, body, headers);
  }
}

function isFinish(event: Event): boolean {
  return event.type === "status" && event.status === "response_finished";
}
