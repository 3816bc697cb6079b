import type { Logger } from '../log/logger.ts';
import type { Tracer } from './tracer.ts';

/** OpenTelemetry's SDK for Node, as far as it is used: what `@opentelemetry/sdk-node` exports. */
export interface OpenTelemetrySdk {
  readonly NodeSDK: new (options: {
    readonly serviceName?: string;
    readonly resource?: unknown;
  }) => { start(): void; shutdown(): Promise<void> };
  readonly resources: { resourceFromAttributes(attributes: Readonly<Record<string, string>>): unknown };
}

/** What {@link startTracing} is told. */
export interface TracingOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Names the operator where the environment does not. */
  readonly name: string;
  /** Finds the SDK. @defaultValue imports it */
  readonly load?: () => Promise<OpenTelemetrySdk>;
}

/** Spans that are sent somewhere, until disposed: what is left is sent then. */
export interface Tracing extends AsyncDisposable {
  readonly tracer: Tracer;
}

/**
 * Starts OpenTelemetry if the environment asks for it, as other programs do: with `OTEL_EXPORTER_OTLP_ENDPOINT`, or that of
 * traces alone. Everything else (protocol, headers, sampling, resource) is the SDK's to read from its own variables. Nothing is
 * loaded otherwise. An operator without the SDK goes on without spans, and says so once.
 */
export async function startTracing({ env, log, name, load = importSdk }: TracingOptions): Promise<Tracing | undefined> {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true') return undefined;
  let sdk: OpenTelemetrySdk;
  try {
    sdk = await load();
  } catch (error) {
    const remedy = 'npm install @opentelemetry/sdk-node, or unset OTEL_EXPORTER_OTLP_ENDPOINT';
    log.warn('no spans are sent: the SDK of OpenTelemetry cannot be loaded', { endpoint, do: remedy, error });
    return undefined;
  }
  const isNamed = Boolean(env['OTEL_SERVICE_NAME']) || /\bservice\.name=/.test(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
  const running = new sdk.NodeSDK({
    resource: sdk.resources.resourceFromAttributes(podAttributes(env)),
    ...(!isNamed && { serviceName: name }),
  });
  running.start();
  const { trace } = await import('@opentelemetry/api');
  log.info('sending spans', { endpoint });
  return { tracer: trace.getTracer('kubewright'), [Symbol.asyncDispose]: () => running.shutdown() };
}

/** What a pod knows of itself: its host name is its name; the rest where the deployment hands it in. */
function podAttributes(env: TracingOptions['env']): Readonly<Record<string, string>> {
  if (!env['KUBERNETES_SERVICE_HOST']) return {};
  const known = {
    'k8s.namespace.name': env['POD_NAMESPACE'],
    'k8s.pod.name': env['POD_NAME'] ?? env['HOSTNAME'],
    'k8s.node.name': env['NODE_NAME'],
  };
  return Object.fromEntries(Object.entries(known).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

async function importSdk(): Promise<OpenTelemetrySdk> {
  try {
    // By a literal, so that bundlers take it in where it is installed; it is nobody's dependency.
    // @ts-expect-error: its types are there for those who install it
    return (await import('@opentelemetry/sdk-node')) as unknown as OpenTelemetrySdk;
  } catch (error) {
    throw new Error('there is no @opentelemetry/sdk-node', { cause: error });
  }
}
