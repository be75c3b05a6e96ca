export { instrument, OtelMissingError } from "./instrument.js";
export type { InstrumentOptions } from "./instrument.js";
export { otelAttributes } from "./run-spans.js";
export type { OtelApi, OtelAttributes, OtelSpan, OtelSpanOptions, OtelTracer } from "./otel-api.js";
