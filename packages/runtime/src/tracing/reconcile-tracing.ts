import type { ClientCall, ClientInterceptor } from '@kubewright/client';
import type { Span, SpanAttributes, Tracer } from './tracer.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** Creates the spans of one manager: one for each reconcile and, as its children, one for each attempt of each API call. */
export class ReconcileTracing {
  readonly #tracer: Tracer;
  #loading: Promise<OpenTelemetry> | undefined;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /**
   * Runs a reconcile in its own span, which is the active span if the program has a context manager. `run` receives the
   * span to set attributes, such as the result.
   */
  async reconcile<R>(
    attributes: SpanAttributes,
    run: (calls: ClientInterceptor, span: Pick<Span, 'setAttribute'>) => Promise<R>,
  ): Promise<R> {
    const { context, trace } = await this.#api();
    const span = this.#tracer.startSpan(`reconcile ${attributes['controller']}`, { attributes: { ...attributes } });
    // The cast is safe: an OpenTelemetry tracer created the span.
    const inside = trace.setSpan(context.active(), span as Parameters<typeof trace.setSpan>[1]);
    const calls: ClientInterceptor = (call, next) =>
      ended(this.#tracer.startSpan(nameOf(call), { kind: client, attributes: attributesOf(call) }, inside), (child) =>
        this.#call(child, { call, next }),
      );
    return context.with(inside, () => ended(span, () => run(calls, span)));
  }

  async #call(
    span: Span,
    { call, next }: { readonly call: ClientCall; readonly next: Parameters<ClientInterceptor>[1] },
  ): ReturnType<ClientInterceptor> {
    const { traceId, spanId, traceFlags } = span.spanContext();
    // W3C trace context: API servers with tracing enabled continue the trace.
    const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    const request = { ...call.request, headers: { ...call.request.headers, traceparent } };
    const response = await next({ ...call, request });
    span.setAttribute('http.response.status_code', response.status);
    if (response.status >= 400) span.setStatus({ code: failed });
    return response;
  }

  /** Loaded with the first span: only programs that trace have the package installed. */
  #api(): Promise<OpenTelemetry> {
    this.#loading ??= import('@opentelemetry/api');
    return this.#loading;
  }
}

/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR`, which are wire numbers. */
const client = 2;
const failed = 2;

async function ended<R>(span: Span, run: (span: Span) => Promise<R>): Promise<R> {
  try {
    return await run(span);
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error));
    span.recordException(known);
    span.setStatus({ code: failed, message: known.message });
    throw error;
  } finally {
    span.end();
  }
}

function nameOf({ verb, target, request }: ClientCall): string {
  if (!target) return `${request.method} ${request.path.split('?', 1)[0]}`;
  return `${verb} ${target.resource}${target.subresource ? `/${target.subresource}` : ''}`;
}

function attributesOf({ verb, target, request, attempt }: ClientCall): Record<string, string | number | boolean> {
  const { namespace, name } = target?.key ?? {};
  return {
    'http.request.method': request.method,
    'url.path': request.path.split('?', 1)[0] ?? '',
    'k8s.verb': verb,
    ...(target && { 'k8s.resource': target.resource, 'k8s.group': target.group, 'k8s.kind': target.kind }),
    ...(namespace && { 'k8s.namespace.name': namespace }),
    ...(name && { 'k8s.object.name': name }),
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  };
}
