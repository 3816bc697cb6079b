import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogFields } from '../log/logger.ts';
import { type OpenTelemetrySdk, startTracing } from './open-telemetry.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

/** Creates a fake SDK with only the used parts of the real SDK. The fake SDK keeps its spans. */
function sdk() {
  const exporter = new InMemorySpanExporter();
  const seen: { options?: unknown; stopped: boolean } = { stopped: false };
  class NodeSDK {
    constructor(options: unknown) {
      seen.options = options;
    }

    start(): void {
      const spanProcessors = [new SimpleSpanProcessor(exporter)];
      trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    }

    async shutdown(): Promise<void> {
      seen.stopped = true;
    }
  }
  const load = async (): Promise<OpenTelemetrySdk> => ({
    NodeSDK,
    resources: { resourceFromAttributes: (attributes) => attributes },
  });
  return { load, seen, exporter };
}

function logged() {
  const lines: (readonly [string, string, LogFields | undefined])[] = [];
  return {
    lines,
    log: {
      info: (message: string, fields?: LogFields) => void lines.push(['info', message, fields]),
      warn: (message: string, fields?: LogFields) => void lines.push(['warn', message, fields]),
    },
  };
}

describe('startTracing', () => {
  afterEach(() => trace.disable());

  it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, { ...endpoint, OTEL_SDK_DISABLED: 'true' }])(
    'loads nothing with %j',
    async (env) => {
      const load = () => Promise.reject(new Error('it is loaded'));
      const { lines, log } = logged();
      expect(await startTracing({ env, log, name: 'shop', load })).toBeUndefined();
      expect(lines).toEqual([]);
    },
  );

  it.each([endpoint, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318' }])(
    'sends spans with %j, until it is disposed',
    async (env) => {
      const { load, seen, exporter } = sdk();
      const { lines, log } = logged();
      const tracing = await startTracing({ env, log, name: 'shop', load });
      tracing?.tracer.startSpan('reconcile').end();
      expect(exporter.getFinishedSpans().map((span) => span.name)).toEqual(['reconcile']);
      expect(lines).toEqual([
        ['info', 'exporting traces', { event: 'tracing.started', endpoint: 'http://collector:4318' }],
      ]);
      await tracing?.[Symbol.asyncDispose]();
      expect(seen.stopped).toBe(true);
    },
  );

  it('names the operator and its pod unless the environment does', async () => {
    const optionsWith = async (more: Readonly<Record<string, string>>) => {
      const { load, seen } = sdk();
      await startTracing({ env: { ...endpoint, ...more }, log: logged().log, name: 'shop', load });
      return seen.options;
    };
    expect(await optionsWith({})).toEqual({ resource: {}, serviceName: 'shop' });
    expect(await optionsWith({ OTEL_SERVICE_NAME: 'mine' })).toEqual({ resource: {} });
    expect(await optionsWith({ OTEL_RESOURCE_ATTRIBUTES: 'a=b,service.name=mine' })).toEqual({ resource: {} });
    expect(await optionsWith({ KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'shop-1', NODE_NAME: 'n' })).toEqual({
      resource: { 'k8s.pod.name': 'shop-1', 'k8s.node.name': 'n' },
      serviceName: 'shop',
    });
  });

  it('continues without spans if the SDK is not installed, and logs what to install', async () => {
    const { lines, log } = logged();
    expect(await startTracing({ env: endpoint, log, name: 'shop' })).toBeUndefined();
    expect(lines).toEqual([
      [
        'warn',
        'traces are not exported: cannot load the OpenTelemetry SDK',
        expect.objectContaining({ fix: expect.stringContaining('npm install @opentelemetry/sdk-node') }),
      ],
    ]);
  });
});
