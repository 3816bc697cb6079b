import { type Board, type Panel, type Query, select } from './grafana-dashboard.ts';

/** Returns the query for the rate of a counter, summed by each of these labels. */
function rate(metric: string, by: readonly string[], more = ''): Query {
  const expr = `sum(rate(${select(metric, more)}[5m])) by (${by.join(', ')})`;
  return { expr, legend: by.map((label) => `{{${label}}}`).join(' ') };
}

/** Returns the query for the value of a gauge. */
function gauge(metric: string, ...labels: readonly string[]): Query {
  return { expr: select(metric), legend: ['pod', ...labels].map((label) => `{{${label}}}`).join(' ') };
}

/** Returns the queries for the 50th, 90th and 99th percentiles of a histogram. */
function quantiles(histogram: string, by: string): readonly Query[] {
  return [0.5, 0.9, 0.99].map((share) => ({
    expr: `histogram_quantile(${share}, sum(rate(${select(`${histogram}_bucket`)}[5m])) by (${by}, le))`,
    legend: `p${share * 100} {{${by}}}`,
  }));
}

const panel = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({ title, unit, queries });

/** Reconciles and work queues: the contents of kubebuilder's dashboard with this name. */
export const controllerBoard: Board = {
  title: 'Controller-Runtime-Metrics',
  uid: 'kubewright-controller',
  rows: [
    {
      title: 'Reconciliation Metrics',
      panels: [
        panel('Workers in use', 'short', gauge('controller_runtime_active_workers', 'controller')),
        panel('Reconciles', 'ops', rate('controller_runtime_reconcile_total', ['controller', 'result'])),
        panel('Failed reconciles', 'ops', rate('controller_runtime_reconcile_errors_total', ['controller'])),
        panel('Reconcile duration', 's', ...quantiles('controller_runtime_reconcile_time_seconds', 'controller')),
      ],
    },
    {
      title: 'Work Queue Metrics',
      panels: [
        panel('Queue depth', 'short', gauge('workqueue_depth', 'name')),
        panel('Time in the queue', 's', ...quantiles('workqueue_queue_duration_seconds', 'name')),
        panel('Keys added', 'ops', rate('workqueue_adds_total', ['name'])),
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Unfinished work',
          description: 'Time spent so far on keys being processed. A value that only grows means a stuck key.',
          unit: 's',
          queries: [gauge('workqueue_unfinished_work_seconds', 'name')],
        },
        panel('Processing time per key', 's', ...quantiles('workqueue_work_duration_seconds', 'name')),
        panel('Retried keys', 'ops', rate('workqueue_retries_total', ['name'])),
      ],
    },
  ],
};

/** Resource usage of the process: kubebuilder's dashboard with this name. */
export const resourcesBoard: Board = {
  title: 'Controller-Resources-Metrics',
  uid: 'kubewright-resources',
  rows: [
    {
      title: 'Resources',
      panels: [
        panel('Processor', 'percent', {
          expr: `rate(${select('process_cpu_seconds_total')}[5m]) * 100`,
          legend: '{{pod}}',
        }),
        panel('Memory', 'bytes', gauge('process_resident_memory_bytes')),
      ],
    },
  ],
};

/** Metrics that only Kubewright operators and Node processes expose. */
export const kubewrightBoard: Board = {
  title: 'Kubewright-Metrics',
  uid: 'kubewright-own',
  rows: [
    {
      title: 'Caches',
      panels: [
        panel('Objects', 'short', gauge('kubewright_cache_objects', 'kind')),
        panel('Memory outside the heap', 'bytes', gauge('kubewright_cache_bytes', 'kind')),
        {
          title: 'Time since the last watch event',
          description: 'Bookmarks count as events: a watch without events for minutes has failed.',
          unit: 's',
          queries: [gauge('kubewright_watch_last_event_age_seconds', 'kind')],
        },
        {
          title: 'Cache lag',
          description: 'Time for which the cache has lagged behind the API server.',
          unit: 's',
          queries: [gauge('kubewright_cache_lag_seconds', 'kind')],
        },
        panel(
          'Started watches and lists',
          'ops',
          rate('kubewright_cache_watches_total', ['kind']),
          rate('kubewright_cache_lists_total', ['kind']),
        ),
      ],
    },
    {
      title: 'Ineffective writes',
      panels: [
        panel('Hot loops', 'ops', rate('kubewright_self_triggered_total', ['controller'])),
        panel('Writes without effect', 'ops', rate('kubewright_noop_writes_total', ['controller'])),
        panel('Fields changed by another writer', 'ops', rate('kubewright_field_conflicts_total', ['controller'])),
      ],
    },
    {
      title: 'Process and API server',
      panels: [
        panel('Requests to the API server', 'ops', rate('rest_client_requests_total', ['method', 'code'])),
        panel('Leaders', 'short', gauge('leader_election_master_status', 'name')),
        panel('Webhook requests', 'ops', rate('controller_runtime_webhook_requests_total', ['webhook', 'code'])),
        panel('Event loop delay (p99)', 's', gauge('nodejs_eventloop_lag_p99_seconds')),
        panel('Heap in use', 'bytes', gauge('nodejs_heap_size_used_bytes')),
      ],
    },
  ],
};
