import type { KubernetesObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { Informer } from '../cache/informer.ts';
import { prometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import { WebhooksRunnable } from '../webhook/webhooks-runnable.ts';
import type { PartsOptions } from './manager-parts.ts';
import { ProbeServers } from './probe-servers.ts';

/** The parts of a manager that its servers use; some parts exist only once the manager runs. */
export interface ServedParts {
  readonly client: () => KubernetesClient | undefined;
  readonly informers: () => readonly Pick<Informer<KubernetesObject>, 'fault' | 'gauges'>[];
  /** @throws ManagerError (KW3007) before there is a client. */
  readonly shared: () => { readonly client: KubernetesClient; readonly cache: Cache };
}

/** The servers of a manager: metrics, health checks and webhooks. */
export class ManagerServers implements AsyncDisposable {
  readonly #from: PartsOptions;
  readonly #parts: ServedParts;
  readonly #probes: ProbeServers;
  /** Started and stopped as a runnable; undefined without webhooks. */
  readonly webhooks: WebhooksRunnable | undefined;
  #metrics: RuntimeMetrics | undefined;

  constructor(from: PartsOptions, parts: ServedParts) {
    this.#from = from;
    this.#parts = parts;
    this.webhooks = this.#makeWebhooks();
    this.#probes = new ProbeServers({
      options: from.options,
      clock: from.clock,
      log: from.log,
      client: parts.client,
      cacheFaults: () => parts.informers().flatMap(({ fault }) => fault ?? []),
      webhookCheck: this.webhooks?.check,
    });
  }

  /** Undefined if metrics are disabled or not served yet. */
  get metrics(): RuntimeMetrics | undefined {
    return this.#metrics;
  }

  /** The bound ports. */
  get ports(): Readonly<Record<'metrics' | 'health' | 'webhook', number | undefined>> {
    return { ...this.#probes.ports, webhook: this.webhooks?.port };
  }

  /**
   * Starts the metrics and health-check servers.
   * @throws BindError (KW3006) when an address cannot be bound.
   */
  async start(): Promise<void> {
    const { metricsBindAddress = '0', restClientHistograms } = this.#from.options;
    if (metricsBindAddress !== '0') {
      const histogramsOfRequests = restClientHistograms ? this.#from.clock : undefined;
      this.#metrics = prometheusMetrics({ histogramsOfRequests });
      this.#metrics.caches(() => this.#parts.informers().map((informer) => informer.gauges));
    }
    await this.#probes.start(this.#metrics);
  }

  /** Stops the metrics and health-check servers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#probes[Symbol.asyncDispose]();
  }

  #makeWebhooks(): WebhooksRunnable | undefined {
    const { webhooks = [], webhookServer: server = {} } = this.#from.options;
    if (webhooks.length === 0) return undefined;
    return new WebhooksRunnable({
      webhooks,
      server,
      parts: () => ({
        clock: this.#from.clock,
        log: this.#from.log,
        client: this.#parts.shared().client,
        cache: this.#parts.shared().cache,
        metrics: this.#metrics?.webhooks,
        certificateMetrics: this.#metrics?.certificates,
      }),
    });
  }
}
