import type { Clock } from '@kubewright/apimachinery';
import { cacheMetrics } from './cache-metrics.ts';
import { controllerMetrics } from './controller-metrics.ts';
import { formatGoNumber } from './go-number.ts';
import { metricFactory } from './metric-factory.ts';
import { RegisteredMetrics } from './registered-metrics.ts';
import { requestMetrics } from './request-metrics.ts';
import type { RuntimeMetrics } from './runtime-metrics.ts';
import { certificateMetrics, webhookMetrics } from './webhook-metrics.ts';

/** Optional metrics of {@link prometheusMetrics}. */
export interface PrometheusOptions {
  /** Adds histograms of request durations and sizes. The clock measures the durations. @defaultValue none */
  readonly histogramsOfRequests?: Pick<Clock, 'monotonic'> | undefined;
}

/**
 * Keeps controller-runtime's metrics (names, labels, buckets, meaning of HELP).
 *
 * Counting does not use `prom-client`: a reconcile adds to three histograms and two counters, which takes 2 µs with the
 * library's metrics (0.5 µs per histogram and 0.2 µs per counter, because every call hashes the labels) and 0.1 µs with
 * `PlainHistogram` and `PlainMetric`. A whole reconcile of an unchanged object takes 5 µs. The library renders the text
 * format and contributes metrics of the process and of Node.js. Loading the library takes 50 ms, so it is loaded on the
 * first scrape. Programs whose metrics are never read do not load it, and process metrics count from the first scrape.
 */
export function prometheusMetrics(options: PrometheusOptions = {}): RuntimeMetrics {
  const registered = new RegisteredMetrics();
  const make = metricFactory(registered);
  const controller = controllerMetrics(make);
  const leader = make.gauge(
    'leader_election_master_status',
    '1 if this process is the leader of the named election, otherwise 0',
    ['name'],
  );
  return {
    controller,
    removeController: (name) => {
      make.removeReadings(name);
      registered.removeController(name);
    },
    leader: (name, isLeader) => leader.set({ name }, isLeader ? 1 : 0),
    caches: (read) => cacheMetrics(make, read),
    webhooks: webhookMetrics(make),
    certificates: certificateMetrics(make),
    clientInterceptor: requestMetrics(make, options.histogramsOfRequests),
    render: async () => {
      const registry = await registered.registry();
      return { contentType: registry.contentType, text: withGoLabels(await registry.metrics()) };
    },
  };
}

function withGoLabels(text: string): string {
  return text.replace(/le="([^"+]+)"/g, (_, bound: string) => `le="${formatGoNumber(Number(bound))}"`);
}
