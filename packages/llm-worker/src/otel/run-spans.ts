import type { Usage } from "../model/event.js";
import type { RunEvent } from "../worker/run-event.js";
import { mergeUsage } from "../worker/usage.js";
import {
  type OtelApi,
  type OtelAttributes,
  type OtelSpan,
  type OtelTracer,
  SPAN_KIND_CLIENT,
  STATUS_ERROR,
} from "./otel-api.js";

/** A token is about so many bytes of what was not sent. */
const BYTES_PER_TOKEN = 4;

/** Names of the attributes that are this library's own. Sizes in bytes. */
export const otelAttributes = {
  requestBytes: "llm_worker.request.body_bytes",
  blobId: "llm_worker.blob.id",
  storedBytes: "llm_worker.output.stored_bytes",
  summaryBytes: "llm_worker.output.summary_bytes",
  savedTokens: "llm_worker.output.saved_tokens",
  turns: "llm_worker.run.turns",
  status: "llm_worker.run.status",
} as const;

/**
 * Turns the events of a worker's runs into spans: one for the run, below it one for each request
 * and each tool call. Names and attributes follow OpenTelemetry's conventions for generative AI.
 * Holds sizes, ids and counts; no prompt, answer, argument or output ever gets into a span.
 */
export class RunSpans {
  readonly #api: OtelApi;
  readonly #tracer: OtelTracer;
  #run:
    | { readonly span: OtelSpan; readonly context: unknown; turns: number; model: string }
    | undefined;
  #request: { readonly span: OtelSpan; usage: Usage } | undefined;
  /** By call id; ids may come twice, so the oldest open one is meant. */
  readonly #tools = new Map<string, OtelSpan[]>();

  constructor(api: OtelApi, tracer: OtelTracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case "run_start":
        this.#startRun(event.provider, event.model);
        return;
      case "request":
        this.#startRequest(event.bodyBytes);
        return;
      case "usage":
        if (this.#request !== undefined) {
          this.#request.usage = mergeUsage(this.#request.usage, event.usage);
        }
        return;
      case "status":
        if (event.status === "response_started") this.#describeResponse(event);
        if (event.status === "response_finished")
          this.#endRequest(event.stop.raw ?? event.stop.reason);
        if (event.status === "retrying") {
          this.#request?.span.addEvent("retry", { "error.type": event.error.code });
        }
        return;
      case "error":
        this.#failRequest(event.error.code);
        return;
      case "tool_start":
        this.#startTool(event.callId, event.name);
        return;
      case "output_stored":
        this.#describeOutput(event, { [otelAttributes.blobId]: event.blobId });
        return;
      case "output_offloaded":
        this.#describeOutput(event, {});
        return;
      case "output_store_failed":
        this.#tools.get(event.callId)?.[0]?.addEvent("store_failed", { "error.type": event.code });
        return;
      case "tool_end":
        this.#endTool(event.callId, event.isError);
        return;
      case "run_end":
        this.#endRun(event.status);
        return;
      default:
    }
  }

  #startRun(provider: string, model: string): void {
    const span = this.#tracer.startSpan("invoke_agent", {
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
      },
    });
    const context = this.#api.trace.setSpan(this.#api.context.active(), span);
    this.#run = { span, context, turns: 0, model };
  }

  #startRequest(bodyBytes: number): void {
    if (this.#run === undefined) return;
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": this.#run.model,
      [otelAttributes.requestBytes]: bodyBytes,
    };
    const span = this.#start(`chat ${this.#run.model}`, { kind: SPAN_KIND_CLIENT, attributes });
    this.#request = { span, usage: {} };
  }

  #describeResponse(started: {
    readonly responseId?: string | undefined;
    readonly model?: string | undefined;
  }): void {
    const attributes: OtelAttributes = {};
    if (started.responseId !== undefined) attributes["gen_ai.response.id"] = started.responseId;
    if (started.model !== undefined) attributes["gen_ai.response.model"] = started.model;
    this.#request?.span.setAttributes(attributes);
  }

  #endRequest(finishReason: string): void {
    // As in the result of the run: the answers count, also of a provider that tells of no requests.
    if (this.#run !== undefined) this.#run.turns += 1;
    if (this.#request === undefined) return;
    const { span, usage } = this.#request;
    span.setAttributes({
      "gen_ai.response.finish_reasons": [finishReason],
      ...countsOf(usage),
    });
    span.end();
    this.#request = undefined;
  }

  #failRequest(errorType: string): void {
    if (this.#request === undefined) return;
    this.#request.span.setAttributes({ "error.type": errorType, ...countsOf(this.#request.usage) });
    this.#request.span.setStatus({ code: STATUS_ERROR, message: errorType });
    this.#request.span.end();
    this.#request = undefined;
  }

  #startTool(callId: string, name: string): void {
    const span = this.#start(`execute_tool ${name}`, {
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": callId,
      },
    });
    this.#tools.set(callId, [...(this.#tools.get(callId) ?? []), span]);
  }

  #describeOutput(output: StoredOutput, where: OtelAttributes): void {
    const attributes = {
      ...where,
      [otelAttributes.storedBytes]: output.byteCount,
      [otelAttributes.summaryBytes]: output.summaryBytes,
      [otelAttributes.savedTokens]: savedTokens(output.byteCount - output.summaryBytes),
    };
    const span = this.#tools.get(output.callId)?.[0];
    if (span !== undefined) span.setAttributes(attributes);
    // To keep a turn within its budget, outputs are stored after their calls have ended.
    else this.#run?.span.addEvent("output_stored", attributes);
  }

  #endTool(callId: string, isError: boolean): void {
    const [span, ...others] = this.#tools.get(callId) ?? [];
    if (others.length === 0) this.#tools.delete(callId);
    else this.#tools.set(callId, others);
    if (isError) {
      span?.setAttributes({ "error.type": "tool_error" });
      span?.setStatus({ code: STATUS_ERROR });
    }
    span?.end();
  }

  #endRun(status: string): void {
    this.#failRequest("aborted");
    for (const [callId, open] of this.#tools) open.forEach(() => this.#endTool(callId, true));
    if (this.#run === undefined) return;
    const { span, turns } = this.#run;
    span.setAttributes({ [otelAttributes.status]: status, [otelAttributes.turns]: turns });
    if (status === "failed") span.setStatus({ code: STATUS_ERROR, message: status });
    span.end();
    this.#run = undefined;
  }

  #start(name: string, options: Parameters<OtelTracer["startSpan"]>[1]): OtelSpan {
    return this.#tracer.startSpan(name, options, this.#run?.context ?? this.#api.context.active());
  }
}

type StoredOutput = Extract<RunEvent, { type: "output_stored" | "output_offloaded" }>;

function countsOf(usage: Usage): OtelAttributes {
  const attributes: OtelAttributes = {};
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  if (inputTokens !== undefined) attributes["gen_ai.usage.input_tokens"] = inputTokens;
  if (outputTokens !== undefined) attributes["gen_ai.usage.output_tokens"] = outputTokens;
  if (cacheReadTokens !== undefined) {
    attributes["gen_ai.usage.cache_read.input_tokens"] = cacheReadTokens;
  }
  if (cacheWriteTokens !== undefined) {
    attributes["gen_ai.usage.cache_creation.input_tokens"] = cacheWriteTokens;
  }
  return attributes;
}

function savedTokens(savedBytes: number): number {
  return Math.max(0, Math.round(savedBytes / BYTES_PER_TOKEN));
}
