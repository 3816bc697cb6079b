/** Values that a span may carry. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span, as far as the runtime uses it; OpenTelemetry's `Span` is one. */
export interface Span {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
  setAttribute(key: string, value: string | number | boolean): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** Where spans come from; what `trace.getTracer('my-operator')` of `@opentelemetry/api` answers is one. */
export interface Tracer {
  startSpan(
    name: string,
    options?: { readonly kind?: number; readonly attributes?: Record<string, string | number | boolean> },
    // OpenTelemetry's `Context`; named here only where its package is loaded.
    // biome-ignore lint/suspicious/noExplicitAny: a structural type of a package that may be absent
    context?: any,
  ): Span;
}
