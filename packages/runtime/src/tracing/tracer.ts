/** Attribute values that a span may carry. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The part of a span that the runtime uses; OpenTelemetry's `Span` implements it. */
export interface Span {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
  setAttribute(key: string, value: string | number | boolean): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/**
 * Creates spans; `trace.getTracer('my-operator')` of `@opentelemetry/api` returns one.
 *
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 *
 * const tracer: Tracer = trace.getTracer('website-operator');
 * const manager = new Manager({ controllers: [websites], tracer });
 * ```
 */
export interface Tracer {
  startSpan(
    name: string,
    options?: { readonly kind?: number; readonly attributes?: Record<string, string | number | boolean> },
    // OpenTelemetry's `Context`; typed loosely because its package may not be installed.
    // biome-ignore lint/suspicious/noExplicitAny: a structural type of a package that may be absent
    context?: any,
  ): Span;
}
