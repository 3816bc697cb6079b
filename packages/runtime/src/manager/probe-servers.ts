import { setImmediate } from 'node:timers/promises'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { checksHandler, HealthCheck } from '../health/checks-handler.ts';
import type { ProbeServer, ProbeServerTls } from '../health/probe-server.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { metricsPaths } from '../metrics/metrics-handler.ts';
import { defaultMetricsCertificates } from '../metrics/metrics-security.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import type { ManagerOptions } from './manager-options.ts';

/** Options for {@link ProbeServers}. */
export interface ProbeServersOptions {
  readonly options: ManagerOptions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Client used to authorize metrics requests; undefined until the manager has a client. */
  readonly client: () => KubernetesClient | undefined;
  /** Returns the reasons why caches are not ready: kinds that are not listed yet, or no longer watched. */
  readonly cacheFaults: () => readonly string[];
  /** Checks that webhooks respond; undefined without webhooks. */
  readonly webhookCheck: HealthCheck | undefined;
}

type Paths = ConstructorParameters<typeof ProbeServer>[1];

interface Listening {
  readonly address: string;
  readonly paths: Paths;
  readonly tls?: ProbeServerTls;
}

/** The HTTP servers of a manager: `/healthz` and `/readyz`, and `/metrics`. */
export class ProbeServers implements AsyncDisposable {
  readonly #options: ProbeServersOptions;
  readonly #servers: ProbeServer[] = [];
  #ports: { metrics: number | undefined; health: number | undefined } = { metrics: undefined, health: undefined };

  constructor(options: ProbeServersOptions) {
    this.#options = options;
  }

  /** The bound ports. */
  get ports(): { readonly metrics: number | undefined; readonly health: number | undefined } {
    return this.#ports;
  }

  /** @throws BindError (KW3006) */
  async start(metrics: RuntimeMetrics | undefined): Promise<void> {
    const { healthProbeBindAddress = '0', metricsBindAddress = '0' } = this.#options.options;
    if (healthProbeBindAddress !== '0')
      this.#ports.health = await this.#listen('health probes', {
        address: healthProbeBindAddress,
        paths: this.#checks((await import('../health/checks-handler.ts')).checksHandler),
      });
    if (metrics && metricsBindAddress !== '0') {
      this.#ports.metrics = await this.#listenForMetrics(metrics, metricsBindAddress);
      this.#logMetrics(metricsBindAddress, this.#ports.metrics);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
  }

  async #listenForMetrics(metrics: RuntimeMetrics, address: string): Promise<number> {
    const { options, clock, log, client } = this.#options;
    const { metricsSecurity: security, metricsHandlers: more = {} } = options;
    const paths = await metricsPaths(metrics, { security, more, client, clock, log: log.named('metrics') });
    if (!security) return this.#listen('metrics', { address, paths });
    const { certificates = await defaultMetricsCertificates(), clientCaFile } = security;
    const parts = { clock, log: log.named('metrics'), metrics: metrics.certificates };
    return this.#listen('metrics', { address, paths, tls: { certificates, clientCaFile, parts } });
  }

  /** Logs the URL and whether readers must authenticate. Both depend on how the program was started. */
  #logMetrics(address: string, port: number): void {
    const { metricsSecurity: security } = this.#options.options;
    const host = address.slice(0, address.lastIndexOf(':')) || 'localhost';
    const token = 'clients with the bearer token of a user who can get /metrics';
    const readers = security && security.authorize !== false ? token : 'anyone';
    const url = `${security ? 'https' : 'http'}://${host}:${port}/metrics`;
    const certificate = security?.clientCaFile === undefined ? {} : { clientCaFile: security.clientCaFile };
    this.#options.log.info('serving metrics', { event: logEvents.metricsServing, url, readers, ...certificate });
  }

  async #listen(what: string, where: Listening): Promise<number> {
    // Listening loads Node.js modules for 20 ms, so the first lists are requested before it.
    // seam: yields one turn of the event loop
    await setImmediate();
    // Loaded together with Node's HTTP server, only if a path is served.
    const { ProbeServer } = await import('../health/probe-server.ts');
    const server = new ProbeServer(what, where.paths, where.tls);
    this.#servers.push(server);
    return server.listen(where.address);
  }

  #checks(handlerOf: typeof checksHandler): Paths {
    const { options, clock, cacheFaults, webhookCheck } = this.#options;
    const caches: HealthCheck = () => {
      const faults = cacheFaults();
      if (faults.length > 0) throw new Error(faults.join('; '));
    };
    const live = new Map<string, HealthCheck>([['ping', () => {}], ...Object.entries(options.healthzChecks ?? {})]);
    const ready = new Map<string, HealthCheck>([
      ['caches', caches],
      ...(webhookCheck ? [['webhook', webhookCheck] as const] : []),
      ...Object.entries(options.readyzChecks ?? {}),
    ]);
    return {
      '/healthz': handlerOf('/healthz', { checks: () => live, clock }),
      '/readyz': handlerOf('/readyz', { checks: () => ready, clock }),
    };
  }
}
