import { exponentialBuckets } from './exponential-buckets.ts';
import type { MetricFactory } from './metric-factory.ts';
import type { PlainMetric } from './plain-metric.ts';
import type { ReconcileResultLabel, RuntimeMetrics } from './runtime-metrics.ts';

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const results: readonly ReconcileResultLabel[] = ['error', 'requeue_after', 'requeue', 'success'];

/** Maximum number of priorities with their own series; later priorities share one series, to limit cardinality. */
const maxPriorities = 25;

type ControllerSettings = Parameters<RuntimeMetrics['controller']>[1] & { readonly name: string };

interface Families {
  readonly make: MetricFactory;
  readonly reconcile: ReturnType<typeof reconcileFamilies>;
  readonly queue: ReturnType<typeof queueFamilies>;
  readonly futile: ReturnType<typeof futileFamilies>;
}

/** Creates the metrics of all controllers; returns a function that creates the series of one controller. */
export function controllerMetrics(make: MetricFactory): RuntimeMetrics['controller'] {
  const families = {
    make,
    reconcile: reconcileFamilies(make),
    queue: queueFamilies(make),
    futile: futileFamilies(make),
  };
  return (name, settings) => seriesOf(families, { name, ...settings });
}

function seriesOf(families: Families, settings: ControllerSettings): ReturnType<RuntimeMetrics['controller']> {
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
    panics: make.counter(`${prefix}_reconcile_panics_total`, 'Reconciles that failed with a programming error', labels),
    timeouts: make.counter(`${prefix}_reconcile_timeouts_total`, 'Reconciles that timed out', labels),
    seconds: make.histogram(`${prefix}_reconcile_time_seconds`, 'Duration of reconciles', reconcileBuckets),
    concurrency: make.gauge(`${prefix}_max_concurrent_reconciles`, 'Maximum number of concurrent reconciles', labels),
    active: make.gauge(`${prefix}_active_workers`, 'Number of workers that are reconciling', labels),
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
      'Number of times that another writer reverted a write',
      labels,
    ),
  };
}

function queueFamilies(make: MetricFactory) {
  const labels = ['name', 'controller'];
  return {
    depth: make.gauge('workqueue_depth', 'Number of keys that are ready to be processed', [...labels, 'priority']),
    adds: make.counter('workqueue_adds_total', 'Number of keys added', labels),
    wait: make.histogram(
      'workqueue_queue_duration_seconds',
      'Time that keys waited in the queue',
      exponentialBuckets(),
    ),
    work: make.histogram('workqueue_work_duration_seconds', 'Processing time of keys', exponentialBuckets()),
    unfinished: make.gauge(
      'workqueue_unfinished_work_seconds',
      'Total processing time of the keys in progress',
      labels,
    ),
    longest: make.gauge(
      'workqueue_longest_running_processor_seconds',
      'Longest processing time of a key in progress',
      labels,
    ),
    retries: make.counter('workqueue_retries_total', 'Total number of keys added with a delay', labels),
  };
}

/**
 * Returns a function that increments a counter. A call costs one addition; the total is passed on when metrics are
 * scraped.
 */
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
