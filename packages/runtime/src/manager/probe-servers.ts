import type { Clock } from '@kubewright/apimachinery';
import type { checksHandler } from '../health/checks-handler.ts';
import type { HealthCheck } from '../health/health-check.ts';
import type { ProbeServer } from '../health/probe-server.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import type { ManagerOptions } from './manager-options.ts';

/** What {@link ProbeServers} needs. */
export interface ProbeServersOptions {
  readonly options: ManagerOptions;
  readonly clock: Clock;
  /** Says what keeps caches from being served: kinds not listed yet, kinds not followed any more. */
  readonly cacheFaults: () => readonly string[];
}

/** The HTTP servers of a manager: `/healthz` and `/readyz`, and `/metrics`. */
export class ProbeServers implements AsyncDisposable {
  readonly #options: ProbeServersOptions;
  readonly #servers: ProbeServer[] = [];
  #ports: { metrics: number | undefined; health: number | undefined } = { metrics: undefined, health: undefined };

  constructor(options: ProbeServersOptions) {
    this.#options = options;
  }

  /** Ports that were bound. */
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
      const paths: ConstructorParameters<typeof ProbeServer>[1] = {
        '/metrics': async (_, response) => {
          const { contentType, text } = await metrics.render();
          response.writeHead(200, { 'content-type': contentType });
          response.end(text);
        },
      };
      this.#ports.metrics = await this.#listen('metrics', { address: metricsBindAddress, paths });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
  }

  async #listen(
    what: string,
    where: { readonly address: string; readonly paths: ConstructorParameters<typeof ProbeServer>[1] },
  ): Promise<number> {
    // Loaded with Node's HTTP server only when something is served.
    const { ProbeServer } = await import('../health/probe-server.ts');
    const server = new ProbeServer(what, where.paths);
    this.#servers.push(server);
    return server.listen(where.address);
  }

  #checks(handlerOf: typeof checksHandler): ConstructorParameters<typeof ProbeServer>[1] {
    const { options, clock, cacheFaults } = this.#options;
    const caches: HealthCheck = () => {
      const faults = cacheFaults();
      if (faults.length > 0) throw new Error(faults.join('; '));
    };
    const live = new Map<string, HealthCheck>([['ping', () => {}], ...Object.entries(options.healthzChecks ?? {})]);
    const ready = new Map<string, HealthCheck>([['caches', caches], ...Object.entries(options.readyzChecks ?? {})]);
    return {
      '/healthz': handlerOf('/healthz', { checks: () => live, clock }),
      '/readyz': handlerOf('/readyz', { checks: () => ready, clock }),
    };
  }
}
