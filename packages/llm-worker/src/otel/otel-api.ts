/**
 * What is used of `@opentelemetry/api`, told by shape: the package is the user's and may not be
 * installed, so neither its code nor its types are imported.
 */
export interface OtelApi {
  readonly trace: {
    getTracer(name: string, version?: string): OtelTracer;
    setSpan(context: unknown, span: OtelSpan): unknown;
  };
  readonly context: { active(): unknown };
}

/** What is used of a `Tracer`. */
export interface OtelTracer {
  startSpan(name: string, options?: OtelSpanOptions, context?: unknown): OtelSpan;
}

/** What is used of `SpanOptions`. */
export interface OtelSpanOptions {
  readonly kind?: number;
  readonly attributes?: OtelAttributes;
}

/** What a span is told, by name. */
export type OtelAttributes = Record<string, string | number | boolean | readonly string[]>;

/** What is used of a `Span`. */
export interface OtelSpan {
  setAttributes(attributes: OtelAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  end(): void;
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR` of the OpenTelemetry API. */
export const SPAN_KIND_CLIENT = 2;
export const STATUS_ERROR = 2;
