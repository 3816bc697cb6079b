import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { Tracer } from './tracer.ts';

/** The used part of OpenTelemetry's SDK for Node, as exported by `@opentelemetry/sdk-node`. */
export interface OpenTelemetrySdk {
  readonly NodeSDK: new (options: {
    readonly serviceName?: string;
    readonly resource?: unknown;
  }) => { start(): void; shutdown(): Promise<void> };
  readonly resources: { resourceFromAttributes(attributes: Readonly<Record<string, string>>): unknown };
}

/** Options for {@link startTracing}. */
export interface TracingOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Service name of the operator, unless the environment sets one. */
  readonly name: string;
  /** Loads the SDK. @defaultValue imports `@opentelemetry/sdk-node` */
  readonly load?: () => Promise<OpenTelemetrySdk>;
}

/** Exports spans until disposed. Disposing it flushes pending spans. */
export interface Tracing extends AsyncDisposable {
  readonly tracer: Tracer;
}

/**
 * Starts OpenTelemetry if the environment configures it in the standard way: with `OTEL_EXPORTER_OTLP_ENDPOINT`, or its
 * variant for traces only. The SDK reads all other settings (protocol, headers, sampling, resource) from its own
 * variables. Without these variables, the SDK is not loaded. An operator without the SDK continues without spans, and
 * logs once that the SDK is missing.
 */
export async function startTracing({ env, log, name, load = importSdk }: TracingOptions): Promise<Tracing | undefined> {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true') return undefined;
  let sdk: OpenTelemetrySdk;
  try {
    sdk = await load();
  } catch (error) {
    const remedy = 'npm install @opentelemetry/sdk-node, or unset OTEL_EXPORTER_OTLP_ENDPOINT';
    log.warn('traces are not exported: cannot load the OpenTelemetry SDK', {
      event: logEvents.tracingUnavailable,
      endpoint,
      fix: remedy,
      error,
    });
    return undefined;
  }
  const isNamed = Boolean(env['OTEL_SERVICE_NAME']) || /\bservice\.name=/.test(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
  const running = new sdk.NodeSDK({
    resource: sdk.resources.resourceFromAttributes(podAttributes(env)),
    ...(!isNamed && { serviceName: name }),
  });
  running.start();
  const { trace } = await import('@opentelemetry/api');
  log.info('exporting traces', { event: logEvents.tracingStarted, endpoint });
  return { tracer: trace.getTracer('kubewright'), [Symbol.asyncDispose]: () => running.shutdown() };
}

/**
 * Returns the pod's attributes. Its name is the host name; other attributes come from variables that the deployment
 * sets.
 */
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
    // A literal specifier, so that bundlers include the package where it is installed; it is not a declared dependency.
    // @ts-expect-error: its types exist only where it is installed
    return (await import('@opentelemetry/sdk-node')) as unknown as OpenTelemetrySdk;
  } catch (error) {
    throw new Error('@opentelemetry/sdk-node is not installed', { cause: error });
  }
}
