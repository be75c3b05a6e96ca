import { LlmWorkerError } from "../errors.js";
import type { Phase } from "../worker/phase.js";
import type { Worker } from "../worker/worker.js";
import type { OtelApi, OtelTracer } from "./otel-api.js";
import { RunSpans } from "./run-spans.js";

/** What spans are made with. */
export interface InstrumentOptions {
  /** `@opentelemetry/api` as you have imported it. Default: it is imported by name. */
  readonly api?: OtelApi | undefined;
  /** Default: `api.trace.getTracer("llm-worker")`. */
  readonly tracer?: OtelTracer | undefined;
}

/** `@opentelemetry/api` is not installed and none was given. */
export class OtelMissingError extends LlmWorkerError {
  readonly code = "otel_missing";
}

/**
 * Makes OpenTelemetry spans of a worker's runs, requests and tool calls, until the returned function
 * is called. Spans hold sizes, blob ids, tokens and saved tokens; never what was said or read.
 *
 * @throws OtelMissingError if no api is given and `@opentelemetry/api` cannot be imported
 * @example
 * const stop = await instrument(worker);
 */
export async function instrument(
  worker: Worker<Phase>,
  options: InstrumentOptions = {},
): Promise<() => void> {
  const api = options.api ?? (await importApi());
  const spans = new RunSpans(api, options.tracer ?? api.trace.getTracer("llm-worker"));
  return worker.onEvent((event) => spans.take(event));
}

async function importApi(): Promise<OtelApi> {
  // Not a literal: compilers and bundlers must not look for what may not be there.
  const name: string = "@opentelemetry/api";
  try {
    // The package's `trace` and `context` have the shape that `OtelApi` tells.
    return (await import(name)) as OtelApi;
  } catch (cause) {
    throw new OtelMissingError(
      "@opentelemetry/api is not installed: install it, or pass it as the option api",
      { cause },
    );
  }
}
