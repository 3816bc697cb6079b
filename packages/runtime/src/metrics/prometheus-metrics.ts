import type { Clock } from '@kubewright/apimachinery';
import type { Registry } from 'prom-client';
import { formatGoNumber } from './go-number.ts';
import { PlainHistogram } from './plain-histogram.ts';
import { PlainMetric } from './plain-metric.ts';
import { requestMetrics } from './request-metrics.ts';
import type { CacheGauges, ReconcileResultLabel, RuntimeMetrics } from './runtime-metrics.ts';
import { certificateMetrics, webhookMetrics } from './webhook-metrics.ts';

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const results: readonly ReconcileResultLabel[] = ['error', 'requeue_after', 'requeue', 'success'];

/** Maximum number of priorities with their own series; later ones share one, to limit cardinality. */
const maxPriorities = 25;

/** Starts at 10 ns, then eleven times ten times the previous bound, multiplied as in Go so that the labels match Go's. */
function queueBuckets(): number[] {
  const buckets: number[] = [];
  for (let i = 0, bound = 1e-8; i < 12; i++, bound *= 10) buckets.push(bound);
  return buckets;
}

/** Optional metrics of {@link prometheusMetrics}. */
export interface PrometheusOptions {
  /** Records durations and sizes of requests, measured by this clock. @defaultValue none */
  readonly histogramsOfRequests?: Pick<Clock, 'monotonic'> | undefined;
}

/**
 * Keeps controller-runtime's metrics (names, labels, buckets, meaning of HELP).
 *
 * `prom-client` does not count them: a reconcile adds to three histograms and two counters, which takes 2 µs with the library's
 * metrics (0.5 µs and 0.2 µs each, because every call hashes the labels) and 0.1 µs with {@link PlainHistogram} and
 * {@link PlainMetric}; a whole reconcile of an unchanged object takes 5 µs. The library renders the text format and contributes
 * metrics of the process and of Node.js. Loading it takes 50 ms, so it is loaded on the first scrape: only programs whose metrics
 * are read pay for it, and the process metrics count from then on.
 */
export function prometheusMetrics(options: PrometheusOptions = {}): RuntimeMetrics {
  const registered = new RegisteredMetrics();
  const make = metricFactory(registered);
  const families = {
    make,
    reconcile: reconcileFamilies(make),
    queue: queueFamilies(make),
    futile: futileFamilies(make),
  };
  const leader = make.gauge('leader_election_master_status', 'Whether this process is the leader of that name', [
    'name',
  ]);
  return {
    controller: (name, options) => controllerMetrics(families, { name, ...options }),
    removeController: (name) => {
      make.removeReadings(name);
      registered.removeController(name);
    },
    leader: (name, isLeader) => leader.set({ name }, isLeader ? 1 : 0),
    caches: (read) => cacheGauges(make, read),
    webhooks: webhookMetrics(make, queueBuckets()),
    certificates: certificateMetrics(make),
    clientInterceptor: requestMetrics(make, options.histogramsOfRequests),
    render: async () => {
      const registry = await registered.registry();
      return { contentType: registry.contentType, text: withGoLabels(await registry.metrics()) };
    },
  };
}

interface RegisteredMetric {
  registerIn(registry: Registry): void;
  removeController(name: string): void;
}

/** Collects metrics created before the registry exists. */
class RegisteredMetrics {
  readonly #metrics: RegisteredMetric[] = [];
  #made: Registry | undefined;
  #making: Promise<Registry> | undefined;

  add<M extends RegisteredMetric>(metric: M): M {
    this.#metrics.push(metric);
    if (this.#made) metric.registerIn(this.#made);
    return metric;
  }

  removeController(name: string): void {
    for (const metric of this.#metrics) metric.removeController(name);
  }

  /** Created on first use. */
  registry(): Promise<Registry> {
    this.#making ??= this.#make();
    return this.#making;
  }

  async #make(): Promise<Registry> {
    const { Registry, collectDefaultMetrics } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const metric of this.#metrics) metric.registerIn(registry);
    this.#made = registry;
    return registry;
  }
}

/** Creates metrics in one registry. */
export interface MetricFactory {
  counter(name: string, help: string, labelNames: readonly string[]): PlainMetric;
  gauge(name: string, help: string, labelNames: readonly string[]): PlainMetric;
  histogram(name: string, help: string, buckets: readonly number[]): PlainHistogram;
  /**
   * Sets a metric's value when it is scraped. Several controllers share a metric: each adds its own reading. A recreated
   * controller, as for each leadership term, replaces its predecessor, which is read one last time.
   */
  readOnRequest(metric: PlainMetric, owner: string, read: () => void): void;
  /** Stops reading what a controller reports. */
  removeReadings(controller: string): void;
}

function metricFactory(registered: RegisteredMetrics): MetricFactory {
  const readings = new Map<PlainMetric, Map<string, () => void>>();
  const plain = (type: 'counter' | 'gauge') => (name: string, help: string, labelNames: readonly string[]) =>
    registered.add(new PlainMetric({ name, help, type, isLabelled: labelNames.length > 0 }));
  return {
    readOnRequest(metric, owner, read) {
      const owners = readings.get(metric) ?? new Map<string, () => void>();
      readings.set(metric, owners);
      owners.get(owner)?.();
      owners.set(owner, read);
      metric.collect = () => {
        for (const each of owners.values()) each();
      };
    },
    removeReadings(controller) {
      const label = `"controller":${JSON.stringify(controller)}`;
      for (const owners of readings.values()) {
        for (const owner of owners.keys()) if (owner === controller || owner.includes(label)) owners.delete(owner);
      }
    },
    counter: plain('counter'),
    gauge: plain('gauge'),
    histogram: (name, help, buckets) => registered.add(new PlainHistogram({ name, help, buckets })),
  };
}

function reconcileFamilies(make: MetricFactory) {
  const prefix = 'controller_runtime';
  const labels = ['controller'];
  return {
    total: make.counter(`${prefix}_reconcile_total`, 'Reconciles by controller and result', ['controller', 'result']),
    errors: make.counter(`${prefix}_reconcile_errors_total`, 'Reconciles that failed, by controller', labels),
    terminal: make.counter(
      `${prefix}_terminal_reconcile_errors_total`,
      'Reconciles that failed and are not retried',
      labels,
    ),
    panics: make.counter(
      `${prefix}_reconcile_panics_total`,
      'Reconciles that failed by an error of the program',
      labels,
    ),
    timeouts: make.counter(`${prefix}_reconcile_timeouts_total`, 'Reconciles that took too long', labels),
    seconds: make.histogram(`${prefix}_reconcile_time_seconds`, 'Duration of reconciles', reconcileBuckets),
    concurrency: make.gauge(`${prefix}_max_concurrent_reconciles`, 'Most reconciles at a time', labels),
    active: make.gauge(`${prefix}_active_workers`, 'Workers that are reconciling', labels),
  };
}

function futileFamilies(make: MetricFactory) {
  const labels = ['controller'];
  return {
    'self-triggered': make.counter(
      'kubewright_self_triggered_total',
      'Writes of reconciles that were triggered only by their own previous writes',
      labels,
    ),
    'no-op': make.counter('kubewright_noop_writes_total', 'Writes that changed nothing', labels),
    conflict: make.counter(
      'kubewright_field_conflicts_total',
      'Times that another writer was found to undo writes',
      labels,
    ),
  };
}

function queueFamilies(make: MetricFactory) {
  const labels = ['name', 'controller'];
  return {
    depth: make.gauge('workqueue_depth', 'Keys that are ready', [...labels, 'priority']),
    adds: make.counter('workqueue_adds_total', 'Keys added', labels),
    wait: make.histogram('workqueue_queue_duration_seconds', 'How long keys were ready', queueBuckets()),
    work: make.histogram('workqueue_work_duration_seconds', 'How long keys were worked on', queueBuckets()),
    unfinished: make.gauge('workqueue_unfinished_work_seconds', 'Sum of the time of keys in work', labels),
    longest: make.gauge('workqueue_longest_running_processor_seconds', 'Longest time of a key in work', labels),
    retries: make.counter('workqueue_retries_total', 'Total number of keys added with a delay', labels),
  };
}

interface Families {
  readonly make: MetricFactory;
  readonly reconcile: ReturnType<typeof reconcileFamilies>;
  readonly queue: ReturnType<typeof queueFamilies>;
  readonly futile: ReturnType<typeof futileFamilies>;
}

type ControllerSettings = Parameters<RuntimeMetrics['controller']>[1] & { readonly name: string };

function controllerMetrics(families: Families, settings: ControllerSettings): ReturnType<RuntimeMetrics['controller']> {
  const { make, reconcile, queue, futile } = families;
  const { name: controller, gauges } = settings;
  const own = { controller };
  const labels = { name: controller, controller };
  for (const counter of [reconcile.errors, reconcile.terminal, reconcile.panics, reconcile.timeouts])
    counter.inc(own, 0);
  for (const counter of Object.values(futile)) counter.inc(own, 0);
  reconcile.concurrency.set(own, settings.maxConcurrentReconciles);
  queue.retries.inc(labels, 0);
  const byResult = results.map((result) => [result, counted(make, reconcile.total, { controller, result })] as const);
  const reconciled = Object.fromEntries(byResult) as Readonly<Record<ReconcileResultLabel, () => void>>;
  const added = counted(make, queue.adds, labels);
  const seconds = {
    reconcile: reconcile.seconds.series(own),
    wait: queue.wait.series(labels),
    work: queue.work.series(labels),
  };
  let active = 0;
  make.readOnRequest(reconcile.active, controller, () => reconcile.active.set(own, active));
  const depths = new Map<string, number>();
  make.readOnRequest(queue.depth, controller, () => {
    for (const [priority, depth] of depths) queue.depth.set({ ...labels, priority }, depth);
  });
  make.readOnRequest(queue.unfinished, controller, () =>
    queue.unfinished.set(labels, gauges.workingFor().reduce((sum, ms) => sum + ms, 0) / 1000),
  );
  make.readOnRequest(queue.longest, controller, () =>
    queue.longest.set(labels, Math.max(0, ...gauges.workingFor()) / 1000),
  );
  const priorityLabel = priorityLabels();
  const failures = {
    error: reconcile.errors,
    terminal: reconcile.terminal,
    timeout: reconcile.timeouts,
    panic: reconcile.panics,
  };
  return {
    controller: {
      reconciled(result, took) {
        reconciled[result]();
        seconds.reconcile(took);
      },
      failed: (how) => failures[how].inc(own),
      activeWorkers: (delta) => {
        active += delta;
      },
      futile: (what) => futile[what].inc(own),
    },
    queue: {
      added,
      retried: () => queue.retries.inc(labels),
      depthChanged(priority, delta) {
        const label = priorityLabel(priority);
        depths.set(label, (depths.get(label) ?? 0) + delta);
      },
      handedOut: seconds.wait,
      finished: seconds.work,
    },
  };
}

/** Counting in a reconcile costs one addition; the total is passed on when metrics are scraped. */
function counted(make: MetricFactory, counter: PlainMetric, labels: Readonly<Record<string, string>>): () => void {
  let news = 0;
  make.readOnRequest(counter, JSON.stringify(labels), () => {
    counter.inc({ ...labels }, news);
    news = 0;
  });
  return () => {
    news++;
  };
}

function priorityLabels(): (priority: number) => string {
  const seen = new Set<number>();
  return (priority) => {
    if (seen.size < maxPriorities) seen.add(priority);
    return seen.has(priority) ? String(priority) : 'exceeded_cardinality_limit';
  };
}

function cacheGauges(make: MetricFactory, read: () => readonly CacheGauges[]): void {
  const objects = make.gauge('kubewright_cache_objects', 'Objects in the cache', ['kind']);
  const bytes = make.gauge('kubewright_cache_bytes', 'Off-heap memory of cached objects in bytes', ['kind']);
  const age = make.gauge('kubewright_watch_last_event_age_seconds', 'Time since the watch brought anything', ['kind']);
  const lag = make.gauge('kubewright_cache_lag_seconds', 'Time for which a newer state has been awaited', ['kind']);
  const watches = make.counter('kubewright_cache_watches_total', 'Watches opened', ['kind']);
  const lists = make.counter('kubewright_cache_lists_total', 'Listings begun', ['kind']);
  make.readOnRequest(objects, '', () => {
    watches.reset();
    lists.reset();
    // One kind may have several caches, one per namespace: counts are summed, and times take the worst value.
    const worst = new Map<string, { age: number; lag: number; objects: number; bytes: number }>();
    for (const cache of read()) {
      const { kind } = cache;
      const sum = worst.get(kind) ?? { age: 0, lag: 0, objects: 0, bytes: 0 };
      worst.set(kind, {
        age: Math.max(sum.age, cache.ageSeconds),
        lag: Math.max(sum.lag, cache.lagSeconds),
        objects: sum.objects + cache.objects,
        bytes: sum.bytes + cache.bytes,
      });
      watches.inc({ kind }, cache.watches);
      lists.inc({ kind }, cache.lists);
    }
    for (const [kind, sum] of worst) {
      objects.set({ kind }, sum.objects);
      bytes.set({ kind }, sum.bytes);
      age.set({ kind }, sum.age);
      lag.set({ kind }, sum.lag);
    }
  });
}

function withGoLabels(text: string): string {
  return text.replace(/le="([^"+]+)"/g, (_, bound: string) => `le="${formatGoNumber(Number(bound))}"`);
}
