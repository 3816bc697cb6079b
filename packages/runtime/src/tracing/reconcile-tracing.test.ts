import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { ReconcileTracing } from './reconcile-tracing.ts';

const Site = defineKind<{ readonly a: string }, { readonly up: boolean }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
});

describe('tracing', () => {
  it('creates a span for each reconcile, with its calls as children, and propagates them to the server', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const server = new FakeApiServer([Site]);
    server.put(Site, { metadata: { name: 'a' }, spec: { a: 'b' } });
    let runs = 0;
    const sites = controller({
      for: Site,
      async reconcile(_, ctx) {
        if (runs++ > 0) throw new TerminalError('enough');
        await ctx.setStatus({ up: true });
      },
    });
    await using manager = new Manager({
      controllers: [sites],
      client: server.client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
      tracer: provider.getTracer('test'),
    });
    manager.run().catch(() => {});
    const reconciles = () => exporter.getFinishedSpans().filter((span) => span.name === 'reconcile site');
    await eventually(() => reconciles().length === 2);
    const [first, second] = reconciles();
    expect(first?.attributes).toMatchObject({ controller: 'site', controllerKind: 'Site', 'k8s.object.name': 'a' });
    expect(first?.attributes['reconcileID']).toMatch(/^[0-9a-f-]{36}$/);
    const { spanId = '', traceId = '' } = first?.spanContext() ?? {};
    const calls = exporter.getFinishedSpans().filter((span) => span.parentSpanContext?.spanId === spanId);
    expect(calls.map((span) => span.name)).toEqual(['apply sites/status']);
    expect(calls[0]?.attributes).toMatchObject({ 'http.request.method': 'PATCH', 'http.response.status_code': 200 });
    for (const call of calls) expect(call.spanContext().traceId).toBe(traceId);
    expect(second?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'enough' });
  });

  it('sends the server the span of a call', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const tracing = new ReconcileTracing(provider.getTracer('test'));
    let sent: string | undefined;
    await tracing.reconcile({ controller: 'c' }, async (calls) => {
      const request = { method: 'GET', path: '/api/v1/pods?limit=5', headers: { accept: 'x' } };
      await calls({ verb: 'raw', attempt: 2, request }, async (call) => {
        sent = call.request.headers?.['traceparent'];
        expect(call.request.headers?.['accept']).toBe('x');
        return { status: 500, headers: {}, body: (async function* () {})() };
      });
    });
    const [call, reconcile] = exporter.getFinishedSpans();
    expect(sent).toBe(`00-${call?.spanContext().traceId}-${call?.spanContext().spanId}-01`);
    expect(call?.name).toBe('GET /api/v1/pods');
    expect(call?.attributes).toMatchObject({ 'http.request.resend_count': 1, 'http.response.status_code': 500 });
    expect(call?.status.code).toBe(SpanStatusCode.ERROR);
    expect(call?.parentSpanContext?.spanId).toBe(reconcile?.spanContext().spanId);
  });
});
