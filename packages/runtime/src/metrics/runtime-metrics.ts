import type { ClientInterceptor } from '@kubewright/client';
import type { CertificateMetrics } from '../certificates/certificate-source.ts';
import type { WebhookMetrics } from '../webhook/webhook-parts.ts';
import type { WorkQueueMetrics } from '../workqueue/work-queue.ts';

/** The outcome of a reconcile, as the `result` label of metrics. */
export type ReconcileResultLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

/** Values of the `result` label in reconcile metrics. */
export interface ControllerMetrics {
  reconciled(result: ReconcileResultLabel, seconds: number): void;
  failed(how: 'error' | 'terminal' | 'timeout' | 'panic'): void;
  activeWorkers(delta: number): void;
  /** Counts futile writes: triggered by the controller's own write, changing nothing, or undone by another writer. */
  futile(what: 'self-triggered' | 'no-op' | 'conflict'): void;
}

/** Values that are read when metrics are scraped, rather than counted. */
export interface ControllerGauges {
  /** Milliseconds spent so far on each key in progress. */
  readonly workingFor: () => readonly number[];
}

/** State of a cache, read when metrics are scraped. */
export interface CacheGauges {
  readonly kind: string;
  readonly objects: number;
  /** Seconds since the server last sent data. */
  readonly ageSeconds: number;
  /** Seconds since the cache has been known to lag behind; 0 if it is up to date. */
  readonly lagSeconds: number;
  readonly bytes: number;
  /** Watches opened, and lists started, since the process started. */
  readonly watches: number;
  readonly lists: number;
}

/** Records the runtime's metrics. */
export interface RuntimeMetrics {
  /** Creates the metrics of one controller, with all counters at 0. */
  controller(
    name: string,
    options: { readonly maxConcurrentReconciles: number; readonly gauges: ControllerGauges },
  ): { readonly controller: ControllerMetrics; readonly queue: WorkQueueMetrics };
  /** Removes the metrics of a controller that no longer runs. */
  removeController(name: string): void;
  /** Records whether this process leads. */
  leader(name: string, isLeader: boolean): void;
  caches(read: () => readonly CacheGauges[]): void;
  readonly webhooks: WebhookMetrics;
  readonly certificates: CertificateMetrics;
  /** Counts a client's requests to a host. */
  clientInterceptor(host: string): ClientInterceptor;
  /** Renders all metrics in Prometheus' text format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}
