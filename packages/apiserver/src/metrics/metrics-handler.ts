import { defined } from '@kubewright/apimachinery/internal';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { ApiHandler, ApiResponse } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';
import { isLongRunning } from '../http/long-running.ts';
import type { ResourceCatalog } from '../registry/index.ts';
import type { Storage } from '../storage/index.ts';
import type { WatchHubs } from '../watch/index.ts';
import { type Labels, type MetricFamily, renderGauge } from './metric-family.ts';
import { RequestMetrics } from './request-metrics.ts';

/** Options for {@link ServerMetrics}. */
export interface ServerMetricsOptions {
  readonly catalog: ResourceCatalog;
  readonly storage: Storage;
  /** The server's watches. A function, because the server is created after its handlers. */
  readonly watches: () => WatchHubs;
  /** Metrics of other components. */
  readonly others?: readonly MetricFamily[] | undefined;
}

/** The API server's own metrics, at `/metrics`, under kube-apiserver's names (1.36). */
export class ServerMetrics {
  readonly #options: ServerMetricsOptions;
  readonly #requests: RequestMetrics;
  readonly #inFlight = { readOnly: 0, mutating: 0 };

  constructor(options: ServerMetricsOptions) {
    this.#options = options;
    this.#requests = new RequestMetrics(options.catalog);
  }

  /** Records a completed request. Pass it to the server as `audit`. */
  get audit(): RequestMetrics['observe'] {
    return this.#requests.observe;
  }

  /** Wraps a handler to count its requests in progress. */
  counting(handle: ApiHandler): ApiHandler {
    return async (request) => {
      if (isLongRunning(request.method, request.path)) return handle(request);
      const kind = /^(?:GET|HEAD|OPTIONS)$/.test(request.method) ? 'readOnly' : 'mutating';
      this.#inFlight[kind]++;
      try {
        return await handle(request);
      } finally {
        this.#inFlight[kind]--;
      }
    };
  }

  /** Serves `/metrics`. */
  get handler(): NonResourceHandler {
    return ({ info, request }) => {
      if (info.path.replace(/\/+$/, '') !== '/metrics') return undefined;
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotSupported();
      return this.#respond();
    };
  }

  async #respond(): Promise<ApiResponse> {
    const others = (this.#options.others ?? []).map((family) => family.render()).join('');
    const text =
      others +
      this.#requests.render() +
      this.#inFlightText() +
      this.#watchText() +
      (await this.#objectText()) +
      processText();
    const headers = {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-cache, private',
    };
    return { status: 200, headers, body: Buffer.from(text) };
  }

  #inFlightText(): string {
    return renderGauge('apiserver_current_inflight_requests', {
      help: 'Number of requests in flight, excluding long-running requests.',
      samples: Object.entries(this.#inFlight).map(([kind, count]) => [{ request_kind: kind }, count]),
    });
  }

  #watchText(): string {
    const counts = this.#options.watches().counts();
    const samples: [Labels, number][] = [];
    for (const [prefix, { group, resource, version }] of this.#stored()) {
      const count = counts.get(prefix) ?? 0;
      if (count > 0) samples.push([{ component: 'apiserver', group, resource, verb: 'WATCH', version }, count]);
    }
    return renderGauge('apiserver_longrunning_requests', {
      help: 'Gauge of open watches broken out by group, version and resource.',
      samples,
    });
  }

  async #objectText(): Promise<string> {
    const samples: [Labels, number][] = [];
    for (const [prefix, { group, resource }] of this.#stored()) {
      const { objects, more, remaining = 0 } = await this.#options.storage.list({ prefix, limit: 1, count: true });
      if (!more || remaining > 0) samples.push([{ group, resource }, objects.length + remaining]);
    }
    const resources = renderGauge('apiserver_resource_objects', {
      help: 'Number of stored objects broken out by group and resource.',
      samples,
    });
    // The deprecated name, which dashboards still use.
    const named = samples.map(([{ group, resource }, count]): [Labels, number] => [
      { resource: group ? `${resource}.${group}` : `${resource}` },
      count,
    ]);
    const help = 'Number of stored objects split by kind. Deprecated: use apiserver_resource_objects.';
    return resources + renderGauge('apiserver_storage_objects', { help, samples: named });
  }

  /** Returns one definition per storage prefix, because the versions of a resource share a prefix. */
  #stored(): ReadonlyMap<string, { readonly group: string; readonly resource: string; readonly version: string }> {
    const { catalog } = this.#options;
    return new Map(
      catalog
        .all()
        .filter(({ virtual, computed }) => virtual === undefined && computed === undefined)
        .map((definition) => [definition.storagePrefix, definition]),
    );
  }
}

function processText(): string {
  const { user, system } = process.cpuUsage();
  const single = (name: string, help: string, value: number, type?: 'counter'): string =>
    renderGauge(name, { help, samples: [[{}, value]], ...defined({ type }) });
  return (
    single(
      'process_cpu_seconds_total',
      'Total user and system CPU time spent in seconds.',
      (user + system) / 1e6,
      'counter',
    ) +
    single(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      performance.timeOrigin / 1000,
    ) +
    single('process_resident_memory_bytes', 'Resident memory size in bytes.', process.memoryUsage.rss()) +
    single(
      'nodejs_heap_size_used_bytes',
      'Process heap size used from Node.js in bytes.',
      process.memoryUsage().heapUsed,
    )
  );
}
